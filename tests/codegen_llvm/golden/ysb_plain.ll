; ModuleID = "kodiak"
target triple = "unknown-unknown-unknown"
target datalayout = ""

define internal i32 @"general"(ptr %".1", i64 %".2", i64 %".3") noinline
{
entry:
  %".5" = getelementptr inbounds i8, ptr %".1", i64 0
  %"columns" = load ptr, ptr %".5"
  %".6" = getelementptr inbounds i8, ptr %"columns", i64 0
  %".7" = load ptr, ptr %".6"
  %".8" = getelementptr inbounds i8, ptr %"columns", i64 8
  %".9" = load ptr, ptr %".8"
  %".10" = getelementptr inbounds i32, ptr %".9", i64 %".2"
  %".11" = getelementptr inbounds i8, ptr %"columns", i64 56
  %".12" = load ptr, ptr %".11"
  %".13" = getelementptr inbounds i64, ptr %".12", i64 %".2"
  %".14" = getelementptr inbounds i8, ptr %"columns", i64 112
  %".15" = load ptr, ptr %".14"
  %".16" = getelementptr inbounds i64, ptr %".15", i64 %".2"
  %".17" = getelementptr inbounds i8, ptr %"columns", i64 168
  %".18" = load ptr, ptr %".17"
  %".19" = getelementptr inbounds i64, ptr %".18", i64 %".2"
  %".20" = getelementptr inbounds i8, ptr %".1", i64 8
  %"lookups" = load ptr, ptr %".20"
  %".21" = getelementptr inbounds i8, ptr %".1", i64 48
  %"state" = load ptr, ptr %".21"
  %".22" = alloca i64
  store i64 0, i64* %".22"
  %".24" = alloca i64
  store i64 0, i64* %".24"
  %".26" = getelementptr inbounds i8, ptr %"state", i64 0
  %"current" = load ptr, ptr %".26"
  %".27" = alloca ptr
  store ptr %"current", ptr %".27"
  %".29" = alloca ptr
  store ptr null, ptr %".29"
  %".31" = alloca i64
  store i64 0, i64* %".31"
  %".33" = alloca i64
  store i64 0, i64* %".33"
  %".35" = alloca i64
  store i64 0, i64* %".35"
  store ptr %"current", ptr %".27"
  %".38" = getelementptr inbounds i8, ptr %"current", i64 8
  %"slots" = load ptr, ptr %".38"
  store ptr %"slots", ptr %".29"
  %".40" = getelementptr inbounds i8, ptr %"current", i64 16
  %"mask" = load i64, ptr %".40"
  store i64 %"mask", i64* %".31"
  %".42" = getelementptr inbounds i8, ptr %"current", i64 24
  %"shift" = load i64, ptr %".42"
  store i64 %"shift", i64* %".33"
  %".44" = getelementptr inbounds i8, ptr %"current", i64 0
  %"slice_start" = load i64, ptr %".44"
  store i64 %"slice_start", i64* %".35"
  %".46" = alloca i64
  store i64 0, i64* %".46"
  %".48" = getelementptr inbounds i8, ptr %".1", i64 16
  %"selection" = load ptr, ptr %".48"
  br label %"pick.head"
pick.head:
  %"pick" = phi  i64 [0, %"entry"], [%".190", %"group.endif"]
  %".50" = icmp slt i64 %"pick", %".3"
  br i1 %".50", label %"pick.body", label %"pick.after"
pick.body:
  store i64 %"pick", i64* %".22"
  %".53" = getelementptr inbounds i32, ptr %"selection", i64 %"pick"
  %".54" = load i32, ptr %".53"
  %".55" = zext i32 %".54" to i64
  %".56" = getelementptr inbounds i64, ptr %".13", i64 %".55"
  %".57" = getelementptr i8, ptr %".56", i64 8192
  call void @"llvm.prefetch.p0"(ptr %".57", i32 0, i32 0, i32 1)
  %".59" = getelementptr inbounds i64, ptr %".19", i64 %".55"
  %".60" = getelementptr i8, ptr %".59", i64 8192
  call void @"llvm.prefetch.p0"(ptr %".60", i32 0, i32 0, i32 1)
  %".62" = add i64 %".2", %".55"
  %".63" = getelementptr inbounds i64, ptr %".16", i64 %".55"
  %".64" = load i64, ptr %".63"
  %".65" = load i64, i64* %".35"
  %".66" = sub i64 %".64", %".65"
  %".67" = icmp uge i64 %".66", 10000000
  br i1 %".67", label %"pick.body.if", label %"pick.body.endif", !prof !0
pick.after:
  store i64 %".3", i64* %".22"
  %".193" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".2", ptr %".193"
  %".195" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 0, ptr %".195"
  br label %"leave.done"
pick.body.if:
  %".69" = sub i64 %".64", 0
  %".70" = srem i64 %".69", 10000000
  %".71" = icmp slt i64 %".70", 0
  %".72" = add i64 %".70", 10000000
  %".73" = select  i1 %".71", i64 %".72", i64 %".70"
  %".74" = sub i64 %".64", %".73"
  %".75" = getelementptr inbounds i8, ptr %"state", i64 8
  %"directory" = load ptr, ptr %".75"
  %".76" = getelementptr inbounds i8, ptr %"state", i64 16
  %"directory_mask" = load i64, ptr %".76"
  %".77" = getelementptr inbounds i8, ptr %"state", i64 24
  %"directory_shift" = load i64, ptr %".77"
  %".78" = mul i64 %".74", 11400714819323198485
  %".79" = lshr i64 %".78", %"directory_shift"
  br label %"slice.probe"
pick.body.endif:
  %".111" = getelementptr inbounds i64, ptr %".19", i64 %".55"
  %".112" = load i64, ptr %".111"
  %".113" = getelementptr inbounds i64, ptr %".13", i64 %".55"
  %".114" = load i64, ptr %".113"
  %".115" = load ptr, ptr %".29"
  %".116" = mul i64 %".114", 11400714819323198485
  %".117" = load i64, i64* %".33"
  %".118" = lshr i64 %".116", %".117"
  %".119" = mul i64 %".118", 24
  %".120" = getelementptr inbounds i8, ptr %".115", i64 %".119"
  %".121" = load i64, ptr %".120"
  %".122" = or i64 3, 4
  %".123" = and i64 %".121", %".122"
  %".124" = or i64 1, 4
  %".125" = icmp eq i64 %".123", %".124"
  %".126" = getelementptr inbounds i8, ptr %".120", i64 8
  %".127" = load i64, ptr %".126"
  %".128" = icmp eq i64 %".127", %".114"
  %".129" = and i1 %".125", %".128"
  br i1 %".129", label %"group", label %"group.search", !prof !1
slice.probe:
  %".81" = phi  i64 [%".79", %"pick.body.if"], [%".96", %"slice.next"]
  %".82" = mul i64 %".81", 16
  %".83" = getelementptr inbounds i8, ptr %"directory", i64 %".82"
  %".84" = getelementptr inbounds i8, ptr %".83", i64 8
  %"table" = load ptr, ptr %".84"
  %".85" = icmp eq ptr %"table", null
  br i1 %".85", label %"slice.probe.if", label %"slice.probe.endif", !prof !0
slice.next:
  %".95" = add i64 %".81", 1
  %".96" = and i64 %".95", %"directory_mask"
  br label %"slice.probe"
slice.found:
  store ptr %"table", ptr %".27"
  %".99" = getelementptr inbounds i8, ptr %"table", i64 8
  %"slots.1" = load ptr, ptr %".99"
  store ptr %"slots.1", ptr %".29"
  %".101" = getelementptr inbounds i8, ptr %"table", i64 16
  %"mask.1" = load i64, ptr %".101"
  store i64 %"mask.1", i64* %".31"
  %".103" = getelementptr inbounds i8, ptr %"table", i64 24
  %"shift.1" = load i64, ptr %".103"
  store i64 %"shift.1", i64* %".33"
  %".105" = getelementptr inbounds i8, ptr %"table", i64 0
  %"slice_start.2" = load i64, ptr %".105"
  store i64 %"slice_start.2", i64* %".35"
  %".107" = load ptr, ptr %".27"
  %".108" = getelementptr inbounds i8, ptr %"state", i64 0
  store ptr %".107", ptr %".108"
  br label %"pick.body.endif"
slice.probe.if:
  %".87" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".62", ptr %".87"
  %".89" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 %".74", ptr %".89"
  br label %"leave.new_slice"
slice.probe.endif:
  %".92" = getelementptr inbounds i8, ptr %".83", i64 0
  %"slice_start.1" = load i64, ptr %".92"
  %".93" = icmp eq i64 %"slice_start.1", %".74"
  br i1 %".93", label %"slice.found", label %"slice.next"
leave.new_slice:
  %".198" = getelementptr inbounds i8, ptr %".1", i64 96
  %"rows_passed" = load i64, ptr %".198"
  %".199" = load i64, i64* %".22"
  %".200" = add i64 %"rows_passed", %".199"
  %".201" = getelementptr inbounds i8, ptr %".1", i64 96
  store i64 %".200", ptr %".201"
  %".203" = getelementptr inbounds i8, ptr %".1", i64 104
  %"probes" = load i64, ptr %".203"
  %".204" = load i64, i64* %".24"
  %".205" = add i64 %"probes", %".204"
  %".206" = getelementptr inbounds i8, ptr %".1", i64 104
  store i64 %".205", ptr %".206"
  ret i32 2
group.search:
  %".131" = load ptr, ptr %".29"
  %".132" = load i64, i64* %".31"
  br label %"group.probe"
group:
  %".176" = phi  ptr [%".120", %"pick.body.endif"], [%".136", %"group.found"]
  %".177" = getelementptr inbounds i8, ptr %".176", i64 16
  %".178" = load i64, ptr %".177"
  %".179" = call {i64, i1} @"llvm.sadd.with.overflow.i64"(i64 %".178", i64 %".112")
  %".180" = extractvalue {i64, i1} %".179", 0
  %".181" = extractvalue {i64, i1} %".179", 1
  br i1 %".181", label %"group.if", label %"group.endif", !prof !0
group.probe:
  %".134" = phi  i64 [%".118", %"group.search"], [%".151", %"group.step"]
  %".135" = mul i64 %".134", 24
  %".136" = getelementptr inbounds i8, ptr %".131", i64 %".135"
  %".137" = load i64, ptr %".136"
  %".138" = and i64 %".137", 3
  %".139" = icmp eq i64 %".138", 1
  %".140" = getelementptr inbounds i8, ptr %".136", i64 8
  %".141" = load i64, ptr %".140"
  %".142" = icmp eq i64 %".141", %".114"
  %".143" = and i1 %".139", %".142"
  br i1 %".143", label %"group.found", label %"group.miss", !prof !1
group.miss:
  %".145" = trunc i64 %".137" to i1
  br i1 %".145", label %"group.step", label %"group.insert"
group.step:
  %".147" = load i64, i64* %".24"
  %".148" = add i64 %".147", 1
  store i64 %".148", i64* %".24"
  %".150" = add i64 %".134", 1
  %".151" = and i64 %".150", %".132"
  br label %"group.probe"
group.insert:
  %".153" = load ptr, ptr %".27"
  %".154" = getelementptr inbounds i8, ptr %".153", i64 32
  %"count" = load i64, ptr %".154"
  %".155" = getelementptr inbounds i8, ptr %".153", i64 40
  %"limit" = load i64, ptr %".155"
  %".156" = icmp sge i64 %"count", %"limit"
  br i1 %".156", label %"group.insert.if", label %"group.insert.endif", !prof !0
group.found:
  %".172" = load i64, ptr %".136"
  %".173" = or i64 %".172", 4
  store i64 %".173", ptr %".136"
  br label %"group"
group.insert.if:
  %".158" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".62", ptr %".158"
  %".160" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 0, ptr %".160"
  br label %"leave.grow_table"
group.insert.endif:
  %".163" = add i64 %"count", 1
  %".164" = getelementptr inbounds i8, ptr %".153", i64 32
  store i64 %".163", ptr %".164"
  %".166" = getelementptr inbounds i8, ptr %".136", i64 8
  store i64 %".114", ptr %".166"
  %".168" = getelementptr inbounds i8, ptr %".136", i64 16
  store i64 0, ptr %".168"
  store i64 1, ptr %".136"
  br label %"group.found"
leave.grow_table:
  %".209" = getelementptr inbounds i8, ptr %".1", i64 96
  %"rows_passed.1" = load i64, ptr %".209"
  %".210" = load i64, i64* %".22"
  %".211" = add i64 %"rows_passed.1", %".210"
  %".212" = getelementptr inbounds i8, ptr %".1", i64 96
  store i64 %".211", ptr %".212"
  %".214" = getelementptr inbounds i8, ptr %".1", i64 104
  %"probes.1" = load i64, ptr %".214"
  %".215" = load i64, i64* %".24"
  %".216" = add i64 %"probes.1", %".215"
  %".217" = getelementptr inbounds i8, ptr %".1", i64 104
  store i64 %".216", ptr %".217"
  ret i32 1
group.if:
  %".183" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".62", ptr %".183"
  %".185" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 0, ptr %".185"
  br label %"leave.spill"
group.endif:
  %".188" = getelementptr inbounds i8, ptr %".176", i64 16
  store i64 %".180", ptr %".188"
  %".190" = add nsw i64 %"pick", 1
  br label %"pick.head"
leave.spill:
  %".220" = getelementptr inbounds i8, ptr %".1", i64 96
  %"rows_passed.2" = load i64, ptr %".220"
  %".221" = load i64, i64* %".22"
  %".222" = add i64 %"rows_passed.2", %".221"
  %".223" = getelementptr inbounds i8, ptr %".1", i64 96
  store i64 %".222", ptr %".223"
  %".225" = getelementptr inbounds i8, ptr %".1", i64 104
  %"probes.2" = load i64, ptr %".225"
  %".226" = load i64, i64* %".24"
  %".227" = add i64 %"probes.2", %".226"
  %".228" = getelementptr inbounds i8, ptr %".1", i64 104
  store i64 %".227", ptr %".228"
  ret i32 6
leave.done:
  %".231" = getelementptr inbounds i8, ptr %".1", i64 96
  %"rows_passed.3" = load i64, ptr %".231"
  %".232" = load i64, i64* %".22"
  %".233" = add i64 %"rows_passed.3", %".232"
  %".234" = getelementptr inbounds i8, ptr %".1", i64 96
  store i64 %".233", ptr %".234"
  %".236" = getelementptr inbounds i8, ptr %".1", i64 104
  %"probes.3" = load i64, ptr %".236"
  %".237" = load i64, i64* %".24"
  %".238" = add i64 %"probes.3", %".237"
  %".239" = getelementptr inbounds i8, ptr %".1", i64 104
  store i64 %".238", ptr %".239"
  ret i32 0
}

declare void @"llvm.prefetch.p0"(ptr %".1", i32 %".2", i32 %".3", i32 %".4")

declare {i64, i1} @"llvm.sadd.with.overflow.i64"(i64 %".1", i64 %".2")

define internal i32 @"fast"(ptr %".1", i64 %".2", i64 %".3") noinline
{
entry:
  %".5" = getelementptr inbounds i8, ptr %".1", i64 0
  %"columns" = load ptr, ptr %".5"
  %".6" = getelementptr inbounds i8, ptr %"columns", i64 0
  %".7" = load ptr, ptr %".6"
  %".8" = getelementptr inbounds i8, ptr %"columns", i64 8
  %".9" = load ptr, ptr %".8"
  %".10" = getelementptr inbounds i32, ptr %".9", i64 %".2"
  %".11" = getelementptr inbounds i8, ptr %"columns", i64 56
  %".12" = load ptr, ptr %".11"
  %".13" = getelementptr inbounds i64, ptr %".12", i64 %".2"
  %".14" = getelementptr inbounds i8, ptr %"columns", i64 112
  %".15" = load ptr, ptr %".14"
  %".16" = getelementptr inbounds i64, ptr %".15", i64 %".2"
  %".17" = getelementptr inbounds i8, ptr %"columns", i64 168
  %".18" = load ptr, ptr %".17"
  %".19" = getelementptr inbounds i64, ptr %".18", i64 %".2"
  %".20" = getelementptr inbounds i8, ptr %".1", i64 8
  %"lookups" = load ptr, ptr %".20"
  %".21" = getelementptr inbounds i8, ptr %".1", i64 48
  %"state" = load ptr, ptr %".21"
  %".22" = alloca i64
  store i64 0, i64* %".22"
  %".24" = alloca i64
  store i64 0, i64* %".24"
  %".26" = getelementptr inbounds i8, ptr %"state", i64 0
  %"current" = load ptr, ptr %".26"
  %".27" = alloca ptr
  store ptr %"current", ptr %".27"
  %".29" = alloca ptr
  store ptr null, ptr %".29"
  %".31" = alloca i64
  store i64 0, i64* %".31"
  %".33" = alloca i64
  store i64 0, i64* %".33"
  %".35" = alloca i64
  store i64 0, i64* %".35"
  store ptr %"current", ptr %".27"
  %".38" = getelementptr inbounds i8, ptr %"current", i64 8
  %"slots" = load ptr, ptr %".38"
  store ptr %"slots", ptr %".29"
  %".40" = getelementptr inbounds i8, ptr %"current", i64 16
  %"mask" = load i64, ptr %".40"
  store i64 %"mask", i64* %".31"
  %".42" = getelementptr inbounds i8, ptr %"current", i64 24
  %"shift" = load i64, ptr %".42"
  store i64 %"shift", i64* %".33"
  %".44" = getelementptr inbounds i8, ptr %"current", i64 0
  %"slice_start" = load i64, ptr %".44"
  store i64 %"slice_start", i64* %".35"
  %".46" = alloca i64
  store i64 0, i64* %".46"
  %".48" = getelementptr inbounds i8, ptr %".1", i64 16
  %"selection" = load ptr, ptr %".48"
  br label %"pick.head"
pick.head:
  %"pick" = phi  i64 [0, %"entry"], [%".137", %"group.endif"]
  %".50" = icmp slt i64 %"pick", %".3"
  br i1 %".50", label %"pick.body", label %"pick.after"
pick.body:
  store i64 %"pick", i64* %".22"
  %".53" = getelementptr inbounds i32, ptr %"selection", i64 %"pick"
  %".54" = load i32, ptr %".53"
  %".55" = zext i32 %".54" to i64
  %".56" = getelementptr inbounds i64, ptr %".13", i64 %".55"
  %".57" = getelementptr i8, ptr %".56", i64 8192
  call void @"llvm.prefetch.p0"(ptr %".57", i32 0, i32 0, i32 1)
  %".59" = getelementptr inbounds i64, ptr %".19", i64 %".55"
  %".60" = getelementptr i8, ptr %".59", i64 8192
  call void @"llvm.prefetch.p0"(ptr %".60", i32 0, i32 0, i32 1)
  %".62" = add i64 %".2", %".55"
  %".63" = getelementptr inbounds i64, ptr %".19", i64 %".55"
  %".64" = load i64, ptr %".63"
  %".65" = getelementptr inbounds i64, ptr %".13", i64 %".55"
  %".66" = load i64, ptr %".65"
  %".67" = load ptr, ptr %".29"
  %".68" = mul i64 %".66", 11400714819323198485
  %".69" = load i64, i64* %".33"
  %".70" = lshr i64 %".68", %".69"
  %".71" = mul i64 %".70", 24
  %".72" = getelementptr inbounds i8, ptr %".67", i64 %".71"
  %".73" = getelementptr inbounds i8, ptr %".72", i64 8
  %".74" = load i64, ptr %".73"
  %".75" = icmp eq i64 %".74", %".66"
  %".76" = and i1 1, %".75"
  br i1 %".76", label %"group", label %"group.search", !prof !1
pick.after:
  store i64 %".3", i64* %".22"
  %".140" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".2", ptr %".140"
  %".142" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 0, ptr %".142"
  br label %"leave.done"
group.search:
  %".78" = load ptr, ptr %".29"
  %".79" = load i64, i64* %".31"
  br label %"group.probe"
group:
  %".123" = phi  ptr [%".72", %"pick.body"], [%".83", %"group.found"]
  %".124" = getelementptr inbounds i8, ptr %".123", i64 16
  %".125" = load i64, ptr %".124"
  %".126" = call {i64, i1} @"llvm.sadd.with.overflow.i64"(i64 %".125", i64 %".64")
  %".127" = extractvalue {i64, i1} %".126", 0
  %".128" = extractvalue {i64, i1} %".126", 1
  br i1 %".128", label %"group.if", label %"group.endif", !prof !0
group.probe:
  %".81" = phi  i64 [%".70", %"group.search"], [%".98", %"group.step"]
  %".82" = mul i64 %".81", 24
  %".83" = getelementptr inbounds i8, ptr %".78", i64 %".82"
  %".84" = load i64, ptr %".83"
  %".85" = and i64 %".84", 3
  %".86" = icmp eq i64 %".85", 1
  %".87" = getelementptr inbounds i8, ptr %".83", i64 8
  %".88" = load i64, ptr %".87"
  %".89" = icmp eq i64 %".88", %".66"
  %".90" = and i1 %".86", %".89"
  br i1 %".90", label %"group.found", label %"group.miss", !prof !1
group.miss:
  %".92" = trunc i64 %".84" to i1
  br i1 %".92", label %"group.step", label %"group.insert"
group.step:
  %".94" = load i64, i64* %".24"
  %".95" = add i64 %".94", 1
  store i64 %".95", i64* %".24"
  %".97" = add i64 %".81", 1
  %".98" = and i64 %".97", %".79"
  br label %"group.probe"
group.insert:
  %".100" = load ptr, ptr %".27"
  %".101" = getelementptr inbounds i8, ptr %".100", i64 32
  %"count" = load i64, ptr %".101"
  %".102" = getelementptr inbounds i8, ptr %".100", i64 40
  %"limit" = load i64, ptr %".102"
  %".103" = icmp sge i64 %"count", %"limit"
  br i1 %".103", label %"group.insert.if", label %"group.insert.endif", !prof !0
group.found:
  %".119" = load i64, ptr %".83"
  %".120" = or i64 %".119", 4
  store i64 %".120", ptr %".83"
  br label %"group"
group.insert.if:
  %".105" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".62", ptr %".105"
  %".107" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 0, ptr %".107"
  br label %"leave.grow_table"
group.insert.endif:
  %".110" = add i64 %"count", 1
  %".111" = getelementptr inbounds i8, ptr %".100", i64 32
  store i64 %".110", ptr %".111"
  %".113" = getelementptr inbounds i8, ptr %".83", i64 8
  store i64 %".66", ptr %".113"
  %".115" = getelementptr inbounds i8, ptr %".83", i64 16
  store i64 0, ptr %".115"
  store i64 1, ptr %".83"
  br label %"group.found"
leave.grow_table:
  %".145" = getelementptr inbounds i8, ptr %".1", i64 96
  %"rows_passed" = load i64, ptr %".145"
  %".146" = load i64, i64* %".22"
  %".147" = add i64 %"rows_passed", %".146"
  %".148" = getelementptr inbounds i8, ptr %".1", i64 96
  store i64 %".147", ptr %".148"
  %".150" = getelementptr inbounds i8, ptr %".1", i64 104
  %"probes" = load i64, ptr %".150"
  %".151" = load i64, i64* %".24"
  %".152" = add i64 %"probes", %".151"
  %".153" = getelementptr inbounds i8, ptr %".1", i64 104
  store i64 %".152", ptr %".153"
  ret i32 1
group.if:
  %".130" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".62", ptr %".130"
  %".132" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 0, ptr %".132"
  br label %"leave.spill"
group.endif:
  %".135" = getelementptr inbounds i8, ptr %".123", i64 16
  store i64 %".127", ptr %".135"
  %".137" = add nsw i64 %"pick", 1
  br label %"pick.head"
leave.spill:
  %".156" = getelementptr inbounds i8, ptr %".1", i64 96
  %"rows_passed.1" = load i64, ptr %".156"
  %".157" = load i64, i64* %".22"
  %".158" = add i64 %"rows_passed.1", %".157"
  %".159" = getelementptr inbounds i8, ptr %".1", i64 96
  store i64 %".158", ptr %".159"
  %".161" = getelementptr inbounds i8, ptr %".1", i64 104
  %"probes.1" = load i64, ptr %".161"
  %".162" = load i64, i64* %".24"
  %".163" = add i64 %"probes.1", %".162"
  %".164" = getelementptr inbounds i8, ptr %".1", i64 104
  store i64 %".163", ptr %".164"
  ret i32 6
leave.done:
  %".167" = getelementptr inbounds i8, ptr %".1", i64 96
  %"rows_passed.2" = load i64, ptr %".167"
  %".168" = load i64, i64* %".22"
  %".169" = add i64 %"rows_passed.2", %".168"
  %".170" = getelementptr inbounds i8, ptr %".1", i64 96
  store i64 %".169", ptr %".170"
  %".172" = getelementptr inbounds i8, ptr %".1", i64 104
  %"probes.2" = load i64, ptr %".172"
  %".173" = load i64, i64* %".24"
  %".174" = add i64 %"probes.2", %".173"
  %".175" = getelementptr inbounds i8, ptr %".1", i64 104
  store i64 %".174", ptr %".175"
  ret i32 0
}

define internal i64 @"select_rows"(ptr %".1", i64 %".2", i64 %".3") noinline
{
entry:
  %".5" = getelementptr inbounds i8, ptr %".1", i64 16
  %"selection" = load ptr, ptr %".5"
  %".6" = getelementptr inbounds i8, ptr %".1", i64 24
  %"mask" = load ptr, ptr %".6"
  %".7" = getelementptr inbounds i8, ptr %".1", i64 0
  %"columns" = load ptr, ptr %".7"
  %".8" = getelementptr inbounds i8, ptr %"columns", i64 0
  %".9" = load ptr, ptr %".8"
  %".10" = getelementptr inbounds i8, ptr %"columns", i64 8
  %".11" = load ptr, ptr %".10"
  %".12" = getelementptr inbounds i8, ptr %"columns", i64 56
  %".13" = load ptr, ptr %".12"
  %".14" = getelementptr inbounds i8, ptr %"columns", i64 112
  %".15" = load ptr, ptr %".14"
  %".16" = getelementptr inbounds i8, ptr %"columns", i64 168
  %".17" = load ptr, ptr %".16"
  %".18" = getelementptr inbounds i8, ptr %".1", i64 8
  %"lookups" = load ptr, ptr %".18"
  %".19" = sub i64 %".3", %".2"
  %".38" = alloca i64
  %".55" = alloca i64
  br label %"test.head"
test.head:
  %"test" = phi  i64 [0, %"entry"], [%".36", %"test.body"]
  %".21" = icmp slt i64 %"test", %".19"
  br i1 %".21", label %"test.body", label %"test.after"
test.body:
  %".23" = add i64 %".2", %"test"
  %".24" = getelementptr inbounds i32, ptr %".11", i64 %".23"
  %".25" = load i32, ptr %".24"
  %".26" = getelementptr inbounds i8, ptr %".24", i64 4
  %".27" = load i32, ptr %".26"
  %".28" = sext i32 %".25" to i64
  %".29" = getelementptr inbounds i8, ptr %".9", i64 %".28"
  %".30" = sub i32 %".27", %".25"
  %".31" = icmp eq i32 %".30", 4
  %".32" = and i1 1, %".31"
  %".33" = zext i1 %".32" to i8
  %".34" = getelementptr inbounds i8, ptr %"mask", i64 %"test"
  store i8 %".33", ptr %".34"
  %".36" = add nsw i64 %"test", 1
  br label %"test.head"
test.after:
  store i64 0, i64* %".38"
  br label %"pack.head"
pack.head:
  %"pack" = phi  i64 [0, %"test.after"], [%".52", %"pack.body"]
  %".41" = icmp slt i64 %"pack", %".19"
  br i1 %".41", label %"pack.body", label %"pack.after"
pack.body:
  %".43" = getelementptr inbounds i8, ptr %"mask", i64 %"pack"
  %".44" = load i8, ptr %".43"
  %".45" = zext i8 %".44" to i64
  %".46" = load i64, i64* %".38"
  %".47" = trunc i64 %"pack" to i32
  %".48" = getelementptr inbounds i32, ptr %"selection", i64 %".46"
  store i32 %".47", ptr %".48"
  %".50" = add i64 %".46", %".45"
  store i64 %".50", i64* %".38"
  %".52" = add nsw i64 %"pack", 1
  br label %"pack.head"
pack.after:
  %".54" = load i64, i64* %".38"
  store i64 0, i64* %".55"
  br label %"refine.head"
refine.head:
  %"refine" = phi  i64 [0, %"pack.after"], [%".82", %"refine.body"]
  %".58" = icmp slt i64 %"refine", %".54"
  br i1 %".58", label %"refine.body", label %"refine.after"
refine.body:
  %".60" = getelementptr inbounds i32, ptr %"selection", i64 %"refine"
  %".61" = load i32, ptr %".60"
  %".62" = zext i32 %".61" to i64
  %".63" = add i64 %".2", %".62"
  %".64" = getelementptr inbounds i32, ptr %".11", i64 %".63"
  %".65" = load i32, ptr %".64"
  %".66" = getelementptr inbounds i8, ptr %".64", i64 4
  %".67" = load i32, ptr %".66"
  %".68" = sext i32 %".65" to i64
  %".69" = getelementptr inbounds i8, ptr %".9", i64 %".68"
  %".70" = sub i32 %".67", %".65"
  %".71" = getelementptr inbounds i8, ptr %".69", i64 0
  %".72" = load i32, ptr %".71", align 1
  %".73" = icmp eq i32 %".72", 2003134838
  %".74" = and i1 1, %".73"
  %".75" = zext i1 %".74" to i64
  %".76" = load i64, i64* %".55"
  %".77" = trunc i64 %".62" to i32
  %".78" = getelementptr inbounds i32, ptr %"selection", i64 %".76"
  store i32 %".77", ptr %".78"
  %".80" = add i64 %".76", %".75"
  store i64 %".80", i64* %".55"
  %".82" = add nsw i64 %"refine", 1
  br label %"refine.head"
refine.after:
  %".84" = load i64, i64* %".55"
  ret i64 %".84"
}

define internal i64 @"select_in_slice"(ptr %".1", i64 %".2", i64 %".3", i64 %".4") noinline
{
entry:
  %".6" = getelementptr inbounds i8, ptr %".1", i64 16
  %"selection" = load ptr, ptr %".6"
  %".7" = getelementptr inbounds i8, ptr %".1", i64 24
  %"mask" = load ptr, ptr %".7"
  %".8" = getelementptr inbounds i8, ptr %".1", i64 0
  %"columns" = load ptr, ptr %".8"
  %".9" = getelementptr inbounds i8, ptr %"columns", i64 0
  %".10" = load ptr, ptr %".9"
  %".11" = getelementptr inbounds i8, ptr %"columns", i64 8
  %".12" = load ptr, ptr %".11"
  %".13" = getelementptr inbounds i8, ptr %"columns", i64 56
  %".14" = load ptr, ptr %".13"
  %".15" = getelementptr inbounds i8, ptr %"columns", i64 112
  %".16" = load ptr, ptr %".15"
  %".17" = getelementptr inbounds i8, ptr %"columns", i64 168
  %".18" = load ptr, ptr %".17"
  %".19" = getelementptr inbounds i8, ptr %".1", i64 8
  %"lookups" = load ptr, ptr %".19"
  %".20" = alloca i1
  store i1 0, i1* %".20"
  %".22" = sub i64 %".3", %".2"
  %".48" = alloca i64
  %".65" = alloca i64
  br label %"test.head"
test.head:
  %"test" = phi  i64 [0, %"entry"], [%".46", %"test.body"]
  %".24" = icmp slt i64 %"test", %".22"
  br i1 %".24", label %"test.body", label %"test.after"
test.body:
  %".26" = add i64 %".2", %"test"
  %".27" = getelementptr inbounds i64, ptr %".16", i64 %".26"
  %".28" = load i64, ptr %".27"
  %".29" = sub i64 %".28", %".4"
  %".30" = icmp ugt i64 %".29", 9999999
  %".31" = load i1, i1* %".20"
  %".32" = or i1 %".31", %".30"
  store i1 %".32", i1* %".20"
  %".34" = getelementptr inbounds i32, ptr %".12", i64 %".26"
  %".35" = load i32, ptr %".34"
  %".36" = getelementptr inbounds i8, ptr %".34", i64 4
  %".37" = load i32, ptr %".36"
  %".38" = sext i32 %".35" to i64
  %".39" = getelementptr inbounds i8, ptr %".10", i64 %".38"
  %".40" = sub i32 %".37", %".35"
  %".41" = icmp eq i32 %".40", 4
  %".42" = and i1 1, %".41"
  %".43" = zext i1 %".42" to i8
  %".44" = getelementptr inbounds i8, ptr %"mask", i64 %"test"
  store i8 %".43", ptr %".44"
  %".46" = add nsw i64 %"test", 1
  br label %"test.head"
test.after:
  store i64 0, i64* %".48"
  br label %"pack.head"
pack.head:
  %"pack" = phi  i64 [0, %"test.after"], [%".62", %"pack.body"]
  %".51" = icmp slt i64 %"pack", %".22"
  br i1 %".51", label %"pack.body", label %"pack.after"
pack.body:
  %".53" = getelementptr inbounds i8, ptr %"mask", i64 %"pack"
  %".54" = load i8, ptr %".53"
  %".55" = zext i8 %".54" to i64
  %".56" = load i64, i64* %".48"
  %".57" = trunc i64 %"pack" to i32
  %".58" = getelementptr inbounds i32, ptr %"selection", i64 %".56"
  store i32 %".57", ptr %".58"
  %".60" = add i64 %".56", %".55"
  store i64 %".60", i64* %".48"
  %".62" = add nsw i64 %"pack", 1
  br label %"pack.head"
pack.after:
  %".64" = load i64, i64* %".48"
  store i64 0, i64* %".65"
  br label %"refine.head"
refine.head:
  %"refine" = phi  i64 [0, %"pack.after"], [%".92", %"refine.body"]
  %".68" = icmp slt i64 %"refine", %".64"
  br i1 %".68", label %"refine.body", label %"refine.after"
refine.body:
  %".70" = getelementptr inbounds i32, ptr %"selection", i64 %"refine"
  %".71" = load i32, ptr %".70"
  %".72" = zext i32 %".71" to i64
  %".73" = add i64 %".2", %".72"
  %".74" = getelementptr inbounds i32, ptr %".12", i64 %".73"
  %".75" = load i32, ptr %".74"
  %".76" = getelementptr inbounds i8, ptr %".74", i64 4
  %".77" = load i32, ptr %".76"
  %".78" = sext i32 %".75" to i64
  %".79" = getelementptr inbounds i8, ptr %".10", i64 %".78"
  %".80" = sub i32 %".77", %".75"
  %".81" = getelementptr inbounds i8, ptr %".79", i64 0
  %".82" = load i32, ptr %".81", align 1
  %".83" = icmp eq i32 %".82", 2003134838
  %".84" = and i1 1, %".83"
  %".85" = zext i1 %".84" to i64
  %".86" = load i64, i64* %".65"
  %".87" = trunc i64 %".72" to i32
  %".88" = getelementptr inbounds i32, ptr %"selection", i64 %".86"
  store i32 %".87", ptr %".88"
  %".90" = add i64 %".86", %".85"
  store i64 %".90", i64* %".65"
  %".92" = add nsw i64 %"refine", 1
  br label %"refine.head"
refine.after:
  %".94" = load i64, i64* %".65"
  %".95" = load i1, i1* %".20"
  %".96" = select  i1 %".95", i64 8589934592, i64 0
  %".97" = or i64 %".94", %".96"
  ret i64 %".97"
}

define i32 @"run"(ptr %".1")
{
entry:
  %".3" = getelementptr inbounds i8, ptr %".1", i64 0
  %"columns" = load ptr, ptr %".3"
  %".4" = getelementptr inbounds i8, ptr %"columns", i64 0
  %".5" = load ptr, ptr %".4"
  %".6" = getelementptr inbounds i8, ptr %"columns", i64 8
  %".7" = load ptr, ptr %".6"
  %".8" = getelementptr inbounds i8, ptr %"columns", i64 56
  %".9" = load ptr, ptr %".8"
  %".10" = getelementptr inbounds i8, ptr %"columns", i64 112
  %".11" = load ptr, ptr %".10"
  %".12" = getelementptr inbounds i8, ptr %"columns", i64 168
  %".13" = load ptr, ptr %".12"
  %".14" = getelementptr inbounds i8, ptr %".1", i64 8
  %"lookups" = load ptr, ptr %".14"
  %".15" = alloca i64
  store i64 0, i64* %".15"
  %".17" = getelementptr inbounds i8, ptr %".1", i64 64
  %"row_begin" = load i64, ptr %".17"
  %".18" = getelementptr inbounds i8, ptr %".1", i64 72
  %"row_end" = load i64, ptr %".18"
  %".19" = sub i64 %"row_end", %"row_begin"
  %".20" = add i64 %".19", 16383
  %".21" = udiv i64 %".20", 16384
  %".30" = alloca i1
  %".103" = alloca i1
  br label %"block.head"
block.head:
  %"block" = phi  i64 [0, %"entry"], [%".125", %"block.body.endif.endif"]
  %".23" = icmp slt i64 %"block", %".21"
  br i1 %".23", label %"block.body", label %"block.after"
block.body:
  %".25" = mul i64 %"block", 16384
  %".26" = add i64 %"row_begin", %".25"
  %".27" = add i64 %".26", 16384
  %".28" = icmp slt i64 %".27", %"row_end"
  %".29" = select  i1 %".28", i64 %".27", i64 %"row_end"
  store i1 0, i1* %".30"
  %".32" = getelementptr inbounds i8, ptr %".1", i64 48
  %"state" = load ptr, ptr %".32"
  %".33" = getelementptr inbounds i8, ptr %"state", i64 0
  %"current" = load ptr, ptr %".33"
  %".34" = getelementptr inbounds i8, ptr %"current", i64 0
  %"slice_start" = load i64, ptr %".34"
  %".35" = load i64, i64* %".15"
  %".36" = icmp sle i64 %".35", 0
  %".37" = getelementptr inbounds i8, ptr %".1", i64 136
  %"times_known" = load i64, ptr %".37"
  %".38" = icmp ne i64 %"times_known", 0
  %".39" = getelementptr inbounds i8, ptr %".1", i64 144
  %"time_least" = load i64, ptr %".39"
  %".40" = sub i64 %"time_least", %"slice_start"
  %".41" = icmp ult i64 %".40", 10000000
  %".42" = and i1 %".38", %".41"
  %".43" = getelementptr inbounds i8, ptr %".1", i64 152
  %"time_greatest" = load i64, ptr %".43"
  %".44" = sub i64 %"time_greatest", %"slice_start"
  %".45" = icmp ult i64 %".44", 10000000
  %".46" = and i1 %".42", %".45"
  %".47" = xor i1 %".46", -1
  %".48" = getelementptr inbounds i8, ptr %".1", i64 48
  %"state.1" = load ptr, ptr %".48"
  %".49" = getelementptr inbounds i8, ptr %"state.1", i64 0
  %"current.1" = load ptr, ptr %".49"
  %".50" = getelementptr inbounds i8, ptr %"current.1", i64 48
  %"complete" = load i64, ptr %".50"
  %".51" = icmp ne i64 %"complete", 0
  %".52" = and i1 %".47", %".51"
  %".53" = and i1 %".36", %".52"
  br i1 %".53", label %"block.body.if", label %"block.body.else"
block.after:
  %".127" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %"row_end", ptr %".127"
  %".129" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 0, ptr %".129"
  br label %"leave.done"
block.body.if:
  %".55" = call i64 @"select_in_slice"(ptr %".1", i64 %".26", i64 %".29", i64 %"slice_start")
  %".56" = icmp slt i64 %".55", 0
  br i1 %".56", label %"block.body.if.if", label %"block.body.if.endif", !prof !0
block.body.else:
  %".78" = load i64, i64* %".15"
  %".79" = sub i64 %".78", 1
  store i64 %".79", i64* %".15"
  br label %"block.body.endif"
block.body.endif:
  %".82" = load i1, i1* %".30"
  %".83" = xor i1 %".82", -1
  br i1 %".83", label %"block.body.endif.if", label %"block.body.endif.endif", !prof !0
block.body.if.if:
  %".58" = xor i64 %".55", -1
  %".59" = trunc i64 %".58" to i32
  ret i32 %".59"
block.body.if.endif:
  %".61" = and i64 %".55", 12884901888
  %".62" = and i64 %".55", 4294967295
  %".63" = icmp eq i64 %".61", 0
  %".64" = shl i64 %".62", 2
  %".65" = sub i64 %".29", %".26"
  %".66" = icmp sge i64 %".64", %".65"
  %".67" = and i1 %".63", %".66"
  %".68" = select  i1 %".67", i64 0, i64 16
  store i64 %".68", i64* %".15"
  br i1 %".63", label %"block.body.if.endif.if", label %"block.body.if.endif.endif", !prof !2
block.body.if.endif.if:
  %".71" = call i32 @"fast"(ptr %".1", i64 %".26", i64 %".62")
  %".72" = icmp ne i32 %".71", 0
  br i1 %".72", label %"block.body.if.endif.if.if", label %"block.body.if.endif.if.endif", !prof !0
block.body.if.endif.endif:
  br label %"block.body.endif"
block.body.if.endif.if.if:
  ret i32 %".71"
block.body.if.endif.if.endif:
  store i1 1, i1* %".30"
  br label %"block.body.if.endif.endif"
block.body.endif.if:
  %".85" = call i64 @"select_rows"(ptr %".1", i64 %".26", i64 %".29")
  %".86" = icmp slt i64 %".85", 0
  br i1 %".86", label %"block.body.endif.if.if", label %"block.body.endif.if.endif", !prof !0
block.body.endif.endif:
  %".125" = add nsw i64 %"block", 1
  br label %"block.head"
block.body.endif.if.if:
  %".88" = xor i64 %".85", -1
  %".89" = trunc i64 %".88" to i32
  ret i32 %".89"
block.body.endif.if.endif:
  %".91" = getelementptr inbounds i8, ptr %".1", i64 48
  %"state.2" = load ptr, ptr %".91"
  %".92" = getelementptr inbounds i8, ptr %"state.2", i64 0
  %"current.2" = load ptr, ptr %".92"
  %".93" = getelementptr inbounds i8, ptr %"current.2", i64 48
  %"complete.1" = load i64, ptr %".93"
  %".94" = icmp ne i64 %"complete.1", 0
  %".95" = shl i64 %".85", 2
  %".96" = sub i64 %".29", %".26"
  %".97" = icmp sge i64 %".95", %".96"
  %".98" = xor i1 0, -1
  %".99" = and i1 %".97", %".98"
  %".100" = getelementptr inbounds i8, ptr %".1", i64 48
  %"state.3" = load ptr, ptr %".100"
  %".101" = getelementptr inbounds i8, ptr %"state.3", i64 0
  %"current.3" = load ptr, ptr %".101"
  %".102" = getelementptr inbounds i8, ptr %"current.3", i64 0
  %"slice_start.1" = load i64, ptr %".102"
  store i1 0, i1* %".103"
  br i1 %".99", label %"block.body.endif.if.endif.if", label %"block.body.endif.if.endif.endif"
block.body.endif.if.endif.if:
  %".106" = call i64 @"times.farthest"(ptr %".11", i64 %"slice_start.1", i64 %".26", i64 %".29")
  %".107" = icmp ult i64 %".106", 10000000
  store i1 %".107", i1* %".103"
  br label %"block.body.endif.if.endif.endif"
block.body.endif.if.endif.endif:
  %".110" = load i1, i1* %".103"
  %".111" = or i1 %".110", 0
  %".112" = and i1 %".94", %".111"
  br i1 %".112", label %"block.body.endif.if.endif.endif.if", label %"block.body.endif.if.endif.endif.else"
block.body.endif.if.endif.endif.if:
  %".114" = call i32 @"fast"(ptr %".1", i64 %".26", i64 %".85")
  %".115" = icmp ne i32 %".114", 0
  br i1 %".115", label %"block.body.endif.if.endif.endif.if.if", label %"block.body.endif.if.endif.endif.if.endif", !prof !0
block.body.endif.if.endif.endif.else:
  %".119" = call i32 @"general"(ptr %".1", i64 %".26", i64 %".85")
  %".120" = icmp ne i32 %".119", 0
  br i1 %".120", label %"block.body.endif.if.endif.endif.else.if", label %"block.body.endif.if.endif.endif.else.endif", !prof !0
block.body.endif.if.endif.endif.endif:
  br label %"block.body.endif.endif"
block.body.endif.if.endif.endif.if.if:
  ret i32 %".114"
block.body.endif.if.endif.endif.if.endif:
  br label %"block.body.endif.if.endif.endif.endif"
block.body.endif.if.endif.endif.else.if:
  ret i32 %".119"
block.body.endif.if.endif.endif.else.endif:
  br label %"block.body.endif.if.endif.endif.endif"
leave.done:
  ret i32 0
}

define internal i64 @"times.farthest"(ptr %".1", i64 %".2", i64 %".3", i64 %".4") noinline
{
entry:
  %".6" = alloca i64
  store i64 0, i64* %".6"
  br label %"time.head"
time.head:
  %"time" = phi  i64 [%".3", %"entry"], [%".17", %"time.body"]
  %".9" = icmp slt i64 %"time", %".4"
  br i1 %".9", label %"time.body", label %"time.after"
time.body:
  %".11" = getelementptr inbounds i64, ptr %".1", i64 %"time"
  %".12" = load i64, ptr %".11"
  %".13" = load i64, i64* %".6"
  %".14" = sub i64 %".12", %".2"
  %".15" = call i64 @"llvm.umax.i64"(i64 %".13", i64 %".14")
  store i64 %".15", i64* %".6"
  %".17" = add nsw i64 %"time", 1
  br label %"time.head"
time.after:
  %".19" = load i64, i64* %".6"
  ret i64 %".19"
}

declare i64 @"llvm.umax.i64"(i64 %".1", i64 %".2")

define i32 @"prepare"(ptr %".1")
{
entry:
  %".3" = getelementptr inbounds i8, ptr %".1", i64 0
  %"columns" = load ptr, ptr %".3"
  %".4" = getelementptr inbounds i8, ptr %"columns", i64 0
  %".5" = load ptr, ptr %".4"
  %".6" = getelementptr inbounds i8, ptr %"columns", i64 8
  %".7" = load ptr, ptr %".6"
  %".8" = getelementptr inbounds i8, ptr %"columns", i64 56
  %".9" = load ptr, ptr %".8"
  %".10" = getelementptr inbounds i8, ptr %"columns", i64 112
  %".11" = load ptr, ptr %".10"
  %".12" = getelementptr inbounds i8, ptr %"columns", i64 168
  %".13" = load ptr, ptr %".12"
  %".14" = getelementptr inbounds i8, ptr %".1", i64 8
  %"lookups" = load ptr, ptr %".14"
  br label %"leave.done"
leave.done:
  ret i32 0
}

define void @"rehash"(ptr %".1", i64 %".2", ptr %".3")
{
entry:
  br label %"slot.head"
slot.head:
  %"slot" = phi  i64 [0, %"entry"], [%".32", %"slot.body.endif"]
  %".6" = icmp slt i64 %"slot", %".2"
  br i1 %".6", label %"slot.body", label %"slot.after"
slot.body:
  %".8" = mul i64 %"slot", 24
  %".9" = getelementptr inbounds i8, ptr %".1", i64 %".8"
  %".10" = load i64, ptr %".9"
  %".11" = trunc i64 %".10" to i1
  br i1 %".11", label %"slot.body.if", label %"slot.body.endif"
slot.after:
  ret void
slot.body.if:
  %".13" = getelementptr inbounds i8, ptr %".9", i64 8
  %".14" = load i64, ptr %".13"
  %".15" = mul i64 %".14", 11400714819323198485
  %".16" = getelementptr inbounds i8, ptr %".3", i64 8
  %"slots" = load ptr, ptr %".16"
  %".17" = getelementptr inbounds i8, ptr %".3", i64 16
  %"mask" = load i64, ptr %".17"
  %".18" = getelementptr inbounds i8, ptr %".3", i64 24
  %"shift" = load i64, ptr %".18"
  %".19" = lshr i64 %".15", %"shift"
  br label %"free.probe"
slot.body.endif:
  %".32" = add nsw i64 %"slot", 1
  br label %"slot.head"
free.probe:
  %".21" = phi  i64 [%".19", %"slot.body.if"], [%".28", %"free.next"]
  %".22" = mul i64 %".21", 24
  %".23" = getelementptr inbounds i8, ptr %"slots", i64 %".22"
  %".24" = load i64, ptr %".23"
  %".25" = trunc i64 %".24" to i1
  br i1 %".25", label %"free.next", label %"free.found"
free.next:
  %".27" = add i64 %".21", 1
  %".28" = and i64 %".27", %"mask"
  br label %"free.probe"
free.found:
  call void @"llvm.memcpy.p0.p0.i64"(ptr %".23", ptr %".9", i64 24, i1 0)
  br label %"slot.body.endif"
}

declare void @"llvm.memcpy.p0.p0.i64"(ptr %".1", ptr %".2", i64 %".3", i1 %".4")

!0 = !{ !"branch_weights", i32 1, i32 99 }
!1 = !{ !"branch_weights", i32 1000, i32 1 }
!2 = !{ !"branch_weights", i32 99, i32 1 }