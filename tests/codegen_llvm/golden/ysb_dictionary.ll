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
  %".8" = getelementptr inbounds i8, ptr %"columns", i64 32
  %".9" = load ptr, ptr %".8"
  %".10" = getelementptr inbounds i8, ptr %"columns", i64 40
  %".11" = load ptr, ptr %".10"
  %".12" = getelementptr inbounds i8, ptr %"columns", i64 48
  %".13" = load i64, ptr %".12"
  %".14" = getelementptr inbounds i8, ptr %"columns", i64 56
  %".15" = load ptr, ptr %".14"
  %".16" = getelementptr inbounds i8, ptr %"columns", i64 112
  %".17" = load ptr, ptr %".16"
  %".18" = getelementptr inbounds i8, ptr %"columns", i64 168
  %".19" = load ptr, ptr %".18"
  %".20" = getelementptr inbounds i8, ptr %".1", i64 8
  %"lookups" = load ptr, ptr %".20"
  %".21" = getelementptr inbounds ptr, ptr %"lookups", i64 0
  %".22" = load ptr, ptr %".21"
  %".23" = getelementptr inbounds i8, ptr %".22", i64 8
  %".24" = load i32, ptr %".22"
  %".25" = getelementptr inbounds i8, ptr %".22", i64 4
  %".26" = load i32, ptr %".25"
  %".27" = getelementptr inbounds i8, ptr %".1", i64 32
  %"state" = load ptr, ptr %".27"
  %".28" = alloca i64
  store i64 0, i64* %".28"
  %".30" = alloca i64
  store i64 0, i64* %".30"
  %".32" = getelementptr inbounds i8, ptr %"state", i64 0
  %"current" = load ptr, ptr %".32"
  %".33" = alloca ptr
  store ptr %"current", ptr %".33"
  %".35" = alloca ptr
  store ptr null, ptr %".35"
  %".37" = alloca i64
  store i64 0, i64* %".37"
  %".39" = alloca i64
  store i64 0, i64* %".39"
  %".41" = alloca i64
  store i64 0, i64* %".41"
  store ptr %"current", ptr %".33"
  %".44" = getelementptr inbounds i8, ptr %"current", i64 8
  %"slots" = load ptr, ptr %".44"
  store ptr %"slots", ptr %".35"
  %".46" = getelementptr inbounds i8, ptr %"current", i64 16
  %"mask" = load i64, ptr %".46"
  store i64 %"mask", i64* %".37"
  %".48" = getelementptr inbounds i8, ptr %"current", i64 24
  %"shift" = load i64, ptr %".48"
  store i64 %"shift", i64* %".39"
  %".50" = getelementptr inbounds i8, ptr %"current", i64 0
  %"slice_start" = load i64, ptr %".50"
  store i64 %"slice_start", i64* %".41"
  %".52" = getelementptr inbounds i8, ptr %".1", i64 16
  %"selection" = load ptr, ptr %".52"
  br label %"pick.head"
pick.head:
  %"pick" = phi  i64 [0, %"entry"], [%".188", %"group.endif"]
  %".54" = icmp slt i64 %"pick", %".3"
  br i1 %".54", label %"pick.body", label %"pick.after"
pick.body:
  store i64 %"pick", i64* %".28"
  %".57" = getelementptr inbounds i32, ptr %"selection", i64 %"pick"
  %".58" = load i32, ptr %".57"
  %".59" = zext i32 %".58" to i64
  %".60" = add i64 %".2", %".59"
  %".61" = getelementptr inbounds i64, ptr %".19", i64 %".60"
  %".62" = load i64, ptr %".61"
  %".63" = getelementptr inbounds i64, ptr %".17", i64 %".60"
  %".64" = load i64, ptr %".63"
  %".65" = load i64, i64* %".41"
  %".66" = sub i64 %".64", %".65"
  %".67" = icmp uge i64 %".66", 10000000
  br i1 %".67", label %"pick.body.if", label %"pick.body.endif", !prof !0
pick.after:
  store i64 %".3", i64* %".28"
  %".191" = getelementptr inbounds i8, ptr %".1", i64 56
  store i64 %".2", ptr %".191"
  %".193" = getelementptr inbounds i8, ptr %".1", i64 64
  store i64 0, ptr %".193"
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
  %".111" = getelementptr inbounds i64, ptr %".15", i64 %".60"
  %".112" = load i64, ptr %".111"
  %".113" = load ptr, ptr %".35"
  %".114" = mul i64 %".112", 11400714819323198485
  %".115" = load i64, i64* %".39"
  %".116" = lshr i64 %".114", %".115"
  %".117" = mul i64 %".116", 24
  %".118" = getelementptr inbounds i8, ptr %".113", i64 %".117"
  %".119" = load i64, ptr %".118"
  %".120" = or i64 3, 4
  %".121" = and i64 %".119", %".120"
  %".122" = or i64 1, 4
  %".123" = icmp eq i64 %".121", %".122"
  %".124" = getelementptr inbounds i8, ptr %".118", i64 8
  %".125" = load i64, ptr %".124"
  %".126" = icmp eq i64 %".125", %".112"
  %".127" = and i1 %".123", %".126"
  br i1 %".127", label %"group", label %"group.search", !prof !1
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
  store ptr %"table", ptr %".33"
  %".99" = getelementptr inbounds i8, ptr %"table", i64 8
  %"slots.1" = load ptr, ptr %".99"
  store ptr %"slots.1", ptr %".35"
  %".101" = getelementptr inbounds i8, ptr %"table", i64 16
  %"mask.1" = load i64, ptr %".101"
  store i64 %"mask.1", i64* %".37"
  %".103" = getelementptr inbounds i8, ptr %"table", i64 24
  %"shift.1" = load i64, ptr %".103"
  store i64 %"shift.1", i64* %".39"
  %".105" = getelementptr inbounds i8, ptr %"table", i64 0
  %"slice_start.2" = load i64, ptr %".105"
  store i64 %"slice_start.2", i64* %".41"
  %".107" = load ptr, ptr %".33"
  %".108" = getelementptr inbounds i8, ptr %"state", i64 0
  store ptr %".107", ptr %".108"
  br label %"pick.body.endif"
slice.probe.if:
  %".87" = getelementptr inbounds i8, ptr %".1", i64 56
  store i64 %".60", ptr %".87"
  %".89" = getelementptr inbounds i8, ptr %".1", i64 64
  store i64 %".74", ptr %".89"
  br label %"leave.new_slice"
slice.probe.endif:
  %".92" = getelementptr inbounds i8, ptr %".83", i64 0
  %"slice_start.1" = load i64, ptr %".92"
  %".93" = icmp eq i64 %"slice_start.1", %".74"
  br i1 %".93", label %"slice.found", label %"slice.next"
leave.new_slice:
  %".196" = getelementptr inbounds i8, ptr %".1", i64 72
  %"rows_passed" = load i64, ptr %".196"
  %".197" = load i64, i64* %".28"
  %".198" = add i64 %"rows_passed", %".197"
  %".199" = getelementptr inbounds i8, ptr %".1", i64 72
  store i64 %".198", ptr %".199"
  %".201" = getelementptr inbounds i8, ptr %".1", i64 80
  %"probes" = load i64, ptr %".201"
  %".202" = load i64, i64* %".30"
  %".203" = add i64 %"probes", %".202"
  %".204" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".203", ptr %".204"
  ret i32 2
group.search:
  %".129" = load ptr, ptr %".35"
  %".130" = load i64, i64* %".37"
  br label %"group.probe"
group:
  %".174" = phi  ptr [%".118", %"pick.body.endif"], [%".134", %"group.found"]
  %".175" = getelementptr inbounds i8, ptr %".174", i64 16
  %".176" = load i64, ptr %".175"
  %".177" = call {i64, i1} @"llvm.sadd.with.overflow.i64"(i64 %".176", i64 %".62")
  %".178" = extractvalue {i64, i1} %".177", 0
  %".179" = extractvalue {i64, i1} %".177", 1
  br i1 %".179", label %"group.if", label %"group.endif", !prof !0
group.probe:
  %".132" = phi  i64 [%".116", %"group.search"], [%".149", %"group.step"]
  %".133" = mul i64 %".132", 24
  %".134" = getelementptr inbounds i8, ptr %".129", i64 %".133"
  %".135" = load i64, ptr %".134"
  %".136" = and i64 %".135", 3
  %".137" = icmp eq i64 %".136", 1
  %".138" = getelementptr inbounds i8, ptr %".134", i64 8
  %".139" = load i64, ptr %".138"
  %".140" = icmp eq i64 %".139", %".112"
  %".141" = and i1 %".137", %".140"
  br i1 %".141", label %"group.found", label %"group.miss", !prof !1
group.miss:
  %".143" = trunc i64 %".135" to i1
  br i1 %".143", label %"group.step", label %"group.insert"
group.step:
  %".145" = load i64, i64* %".30"
  %".146" = add i64 %".145", 1
  store i64 %".146", i64* %".30"
  %".148" = add i64 %".132", 1
  %".149" = and i64 %".148", %".130"
  br label %"group.probe"
group.insert:
  %".151" = load ptr, ptr %".33"
  %".152" = getelementptr inbounds i8, ptr %".151", i64 32
  %"count" = load i64, ptr %".152"
  %".153" = getelementptr inbounds i8, ptr %".151", i64 40
  %"limit" = load i64, ptr %".153"
  %".154" = icmp sge i64 %"count", %"limit"
  br i1 %".154", label %"group.insert.if", label %"group.insert.endif", !prof !0
group.found:
  %".170" = load i64, ptr %".134"
  %".171" = or i64 %".170", 4
  store i64 %".171", ptr %".134"
  br label %"group"
group.insert.if:
  %".156" = getelementptr inbounds i8, ptr %".1", i64 56
  store i64 %".60", ptr %".156"
  %".158" = getelementptr inbounds i8, ptr %".1", i64 64
  store i64 0, ptr %".158"
  br label %"leave.grow_table"
group.insert.endif:
  %".161" = add i64 %"count", 1
  %".162" = getelementptr inbounds i8, ptr %".151", i64 32
  store i64 %".161", ptr %".162"
  store i64 1, ptr %".134"
  %".165" = getelementptr inbounds i8, ptr %".134", i64 8
  store i64 %".112", ptr %".165"
  %".167" = getelementptr inbounds i8, ptr %".134", i64 16
  store i64 0, ptr %".167"
  br label %"group.found"
leave.grow_table:
  %".207" = getelementptr inbounds i8, ptr %".1", i64 72
  %"rows_passed.1" = load i64, ptr %".207"
  %".208" = load i64, i64* %".28"
  %".209" = add i64 %"rows_passed.1", %".208"
  %".210" = getelementptr inbounds i8, ptr %".1", i64 72
  store i64 %".209", ptr %".210"
  %".212" = getelementptr inbounds i8, ptr %".1", i64 80
  %"probes.1" = load i64, ptr %".212"
  %".213" = load i64, i64* %".30"
  %".214" = add i64 %"probes.1", %".213"
  %".215" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".214", ptr %".215"
  ret i32 1
group.if:
  %".181" = getelementptr inbounds i8, ptr %".1", i64 56
  store i64 %".60", ptr %".181"
  %".183" = getelementptr inbounds i8, ptr %".1", i64 64
  store i64 0, ptr %".183"
  br label %"leave.error"
group.endif:
  %".186" = getelementptr inbounds i8, ptr %".174", i64 16
  store i64 %".178", ptr %".186"
  %".188" = add nsw i64 %"pick", 1
  br label %"pick.head"
leave.error:
  %".218" = getelementptr inbounds i8, ptr %".1", i64 72
  %"rows_passed.2" = load i64, ptr %".218"
  %".219" = load i64, i64* %".28"
  %".220" = add i64 %"rows_passed.2", %".219"
  %".221" = getelementptr inbounds i8, ptr %".1", i64 72
  store i64 %".220", ptr %".221"
  %".223" = getelementptr inbounds i8, ptr %".1", i64 80
  %"probes.2" = load i64, ptr %".223"
  %".224" = load i64, i64* %".30"
  %".225" = add i64 %"probes.2", %".224"
  %".226" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".225", ptr %".226"
  ret i32 4
leave.done:
  %".229" = getelementptr inbounds i8, ptr %".1", i64 72
  %"rows_passed.3" = load i64, ptr %".229"
  %".230" = load i64, i64* %".28"
  %".231" = add i64 %"rows_passed.3", %".230"
  %".232" = getelementptr inbounds i8, ptr %".1", i64 72
  store i64 %".231", ptr %".232"
  %".234" = getelementptr inbounds i8, ptr %".1", i64 80
  %"probes.3" = load i64, ptr %".234"
  %".235" = load i64, i64* %".30"
  %".236" = add i64 %"probes.3", %".235"
  %".237" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".236", ptr %".237"
  ret i32 0
}

declare {i64, i1} @"llvm.sadd.with.overflow.i64"(i64 %".1", i64 %".2")

define internal i32 @"fast"(ptr %".1", i64 %".2", i64 %".3") noinline
{
entry:
  %".5" = getelementptr inbounds i8, ptr %".1", i64 0
  %"columns" = load ptr, ptr %".5"
  %".6" = getelementptr inbounds i8, ptr %"columns", i64 0
  %".7" = load ptr, ptr %".6"
  %".8" = getelementptr inbounds i8, ptr %"columns", i64 32
  %".9" = load ptr, ptr %".8"
  %".10" = getelementptr inbounds i8, ptr %"columns", i64 40
  %".11" = load ptr, ptr %".10"
  %".12" = getelementptr inbounds i8, ptr %"columns", i64 48
  %".13" = load i64, ptr %".12"
  %".14" = getelementptr inbounds i8, ptr %"columns", i64 56
  %".15" = load ptr, ptr %".14"
  %".16" = getelementptr inbounds i8, ptr %"columns", i64 112
  %".17" = load ptr, ptr %".16"
  %".18" = getelementptr inbounds i8, ptr %"columns", i64 168
  %".19" = load ptr, ptr %".18"
  %".20" = getelementptr inbounds i8, ptr %".1", i64 8
  %"lookups" = load ptr, ptr %".20"
  %".21" = getelementptr inbounds ptr, ptr %"lookups", i64 0
  %".22" = load ptr, ptr %".21"
  %".23" = getelementptr inbounds i8, ptr %".22", i64 8
  %".24" = load i32, ptr %".22"
  %".25" = getelementptr inbounds i8, ptr %".22", i64 4
  %".26" = load i32, ptr %".25"
  %".27" = getelementptr inbounds i8, ptr %".1", i64 32
  %"state" = load ptr, ptr %".27"
  %".28" = alloca i64
  store i64 0, i64* %".28"
  %".30" = alloca i64
  store i64 0, i64* %".30"
  %".32" = getelementptr inbounds i8, ptr %"state", i64 0
  %"current" = load ptr, ptr %".32"
  %".33" = alloca ptr
  store ptr %"current", ptr %".33"
  %".35" = alloca ptr
  store ptr null, ptr %".35"
  %".37" = alloca i64
  store i64 0, i64* %".37"
  %".39" = alloca i64
  store i64 0, i64* %".39"
  %".41" = alloca i64
  store i64 0, i64* %".41"
  store ptr %"current", ptr %".33"
  %".44" = getelementptr inbounds i8, ptr %"current", i64 8
  %"slots" = load ptr, ptr %".44"
  store ptr %"slots", ptr %".35"
  %".46" = getelementptr inbounds i8, ptr %"current", i64 16
  %"mask" = load i64, ptr %".46"
  store i64 %"mask", i64* %".37"
  %".48" = getelementptr inbounds i8, ptr %"current", i64 24
  %"shift" = load i64, ptr %".48"
  store i64 %"shift", i64* %".39"
  %".50" = getelementptr inbounds i8, ptr %"current", i64 0
  %"slice_start" = load i64, ptr %".50"
  store i64 %"slice_start", i64* %".41"
  %".52" = getelementptr inbounds i8, ptr %".1", i64 16
  %"selection" = load ptr, ptr %".52"
  br label %"pick.head"
pick.head:
  %"pick" = phi  i64 [0, %"entry"], [%".135", %"group.endif"]
  %".54" = icmp slt i64 %"pick", %".3"
  br i1 %".54", label %"pick.body", label %"pick.after"
pick.body:
  store i64 %"pick", i64* %".28"
  %".57" = getelementptr inbounds i32, ptr %"selection", i64 %"pick"
  %".58" = load i32, ptr %".57"
  %".59" = zext i32 %".58" to i64
  %".60" = add i64 %".2", %".59"
  %".61" = getelementptr inbounds i64, ptr %".19", i64 %".60"
  %".62" = load i64, ptr %".61"
  %".63" = getelementptr inbounds i64, ptr %".15", i64 %".60"
  %".64" = load i64, ptr %".63"
  %".65" = load ptr, ptr %".35"
  %".66" = mul i64 %".64", 11400714819323198485
  %".67" = load i64, i64* %".39"
  %".68" = lshr i64 %".66", %".67"
  %".69" = mul i64 %".68", 24
  %".70" = getelementptr inbounds i8, ptr %".65", i64 %".69"
  %".71" = getelementptr inbounds i8, ptr %".70", i64 8
  %".72" = load i64, ptr %".71"
  %".73" = icmp eq i64 %".72", %".64"
  %".74" = and i1 1, %".73"
  br i1 %".74", label %"group", label %"group.search", !prof !1
pick.after:
  store i64 %".3", i64* %".28"
  %".138" = getelementptr inbounds i8, ptr %".1", i64 56
  store i64 %".2", ptr %".138"
  %".140" = getelementptr inbounds i8, ptr %".1", i64 64
  store i64 0, ptr %".140"
  br label %"leave.done"
group.search:
  %".76" = load ptr, ptr %".35"
  %".77" = load i64, i64* %".37"
  br label %"group.probe"
group:
  %".121" = phi  ptr [%".70", %"pick.body"], [%".81", %"group.found"]
  %".122" = getelementptr inbounds i8, ptr %".121", i64 16
  %".123" = load i64, ptr %".122"
  %".124" = call {i64, i1} @"llvm.sadd.with.overflow.i64"(i64 %".123", i64 %".62")
  %".125" = extractvalue {i64, i1} %".124", 0
  %".126" = extractvalue {i64, i1} %".124", 1
  br i1 %".126", label %"group.if", label %"group.endif", !prof !0
group.probe:
  %".79" = phi  i64 [%".68", %"group.search"], [%".96", %"group.step"]
  %".80" = mul i64 %".79", 24
  %".81" = getelementptr inbounds i8, ptr %".76", i64 %".80"
  %".82" = load i64, ptr %".81"
  %".83" = and i64 %".82", 3
  %".84" = icmp eq i64 %".83", 1
  %".85" = getelementptr inbounds i8, ptr %".81", i64 8
  %".86" = load i64, ptr %".85"
  %".87" = icmp eq i64 %".86", %".64"
  %".88" = and i1 %".84", %".87"
  br i1 %".88", label %"group.found", label %"group.miss", !prof !1
group.miss:
  %".90" = trunc i64 %".82" to i1
  br i1 %".90", label %"group.step", label %"group.insert"
group.step:
  %".92" = load i64, i64* %".30"
  %".93" = add i64 %".92", 1
  store i64 %".93", i64* %".30"
  %".95" = add i64 %".79", 1
  %".96" = and i64 %".95", %".77"
  br label %"group.probe"
group.insert:
  %".98" = load ptr, ptr %".33"
  %".99" = getelementptr inbounds i8, ptr %".98", i64 32
  %"count" = load i64, ptr %".99"
  %".100" = getelementptr inbounds i8, ptr %".98", i64 40
  %"limit" = load i64, ptr %".100"
  %".101" = icmp sge i64 %"count", %"limit"
  br i1 %".101", label %"group.insert.if", label %"group.insert.endif", !prof !0
group.found:
  %".117" = load i64, ptr %".81"
  %".118" = or i64 %".117", 4
  store i64 %".118", ptr %".81"
  br label %"group"
group.insert.if:
  %".103" = getelementptr inbounds i8, ptr %".1", i64 56
  store i64 %".60", ptr %".103"
  %".105" = getelementptr inbounds i8, ptr %".1", i64 64
  store i64 0, ptr %".105"
  br label %"leave.grow_table"
group.insert.endif:
  %".108" = add i64 %"count", 1
  %".109" = getelementptr inbounds i8, ptr %".98", i64 32
  store i64 %".108", ptr %".109"
  store i64 1, ptr %".81"
  %".112" = getelementptr inbounds i8, ptr %".81", i64 8
  store i64 %".64", ptr %".112"
  %".114" = getelementptr inbounds i8, ptr %".81", i64 16
  store i64 0, ptr %".114"
  br label %"group.found"
leave.grow_table:
  %".143" = getelementptr inbounds i8, ptr %".1", i64 72
  %"rows_passed" = load i64, ptr %".143"
  %".144" = load i64, i64* %".28"
  %".145" = add i64 %"rows_passed", %".144"
  %".146" = getelementptr inbounds i8, ptr %".1", i64 72
  store i64 %".145", ptr %".146"
  %".148" = getelementptr inbounds i8, ptr %".1", i64 80
  %"probes" = load i64, ptr %".148"
  %".149" = load i64, i64* %".30"
  %".150" = add i64 %"probes", %".149"
  %".151" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".150", ptr %".151"
  ret i32 1
group.if:
  %".128" = getelementptr inbounds i8, ptr %".1", i64 56
  store i64 %".60", ptr %".128"
  %".130" = getelementptr inbounds i8, ptr %".1", i64 64
  store i64 1, ptr %".130"
  br label %"leave.error"
group.endif:
  %".133" = getelementptr inbounds i8, ptr %".121", i64 16
  store i64 %".125", ptr %".133"
  %".135" = add nsw i64 %"pick", 1
  br label %"pick.head"
leave.error:
  %".154" = getelementptr inbounds i8, ptr %".1", i64 72
  %"rows_passed.1" = load i64, ptr %".154"
  %".155" = load i64, i64* %".28"
  %".156" = add i64 %"rows_passed.1", %".155"
  %".157" = getelementptr inbounds i8, ptr %".1", i64 72
  store i64 %".156", ptr %".157"
  %".159" = getelementptr inbounds i8, ptr %".1", i64 80
  %"probes.1" = load i64, ptr %".159"
  %".160" = load i64, i64* %".30"
  %".161" = add i64 %"probes.1", %".160"
  %".162" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".161", ptr %".162"
  ret i32 4
leave.done:
  %".165" = getelementptr inbounds i8, ptr %".1", i64 72
  %"rows_passed.2" = load i64, ptr %".165"
  %".166" = load i64, i64* %".28"
  %".167" = add i64 %"rows_passed.2", %".166"
  %".168" = getelementptr inbounds i8, ptr %".1", i64 72
  store i64 %".167", ptr %".168"
  %".170" = getelementptr inbounds i8, ptr %".1", i64 80
  %"probes.2" = load i64, ptr %".170"
  %".171" = load i64, i64* %".30"
  %".172" = add i64 %"probes.2", %".171"
  %".173" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".172", ptr %".173"
  ret i32 0
}

define i32 @"run"(ptr %".1")
{
entry:
  %".3" = getelementptr inbounds i8, ptr %".1", i64 0
  %"columns" = load ptr, ptr %".3"
  %".4" = getelementptr inbounds i8, ptr %"columns", i64 0
  %".5" = load ptr, ptr %".4"
  %".6" = getelementptr inbounds i8, ptr %"columns", i64 32
  %".7" = load ptr, ptr %".6"
  %".8" = getelementptr inbounds i8, ptr %"columns", i64 40
  %".9" = load ptr, ptr %".8"
  %".10" = getelementptr inbounds i8, ptr %"columns", i64 48
  %".11" = load i64, ptr %".10"
  %".12" = getelementptr inbounds i8, ptr %"columns", i64 56
  %".13" = load ptr, ptr %".12"
  %".14" = getelementptr inbounds i8, ptr %"columns", i64 112
  %".15" = load ptr, ptr %".14"
  %".16" = getelementptr inbounds i8, ptr %"columns", i64 168
  %".17" = load ptr, ptr %".16"
  %".18" = getelementptr inbounds i8, ptr %".1", i64 8
  %"lookups" = load ptr, ptr %".18"
  %".19" = getelementptr inbounds ptr, ptr %"lookups", i64 0
  %".20" = load ptr, ptr %".19"
  %".21" = getelementptr inbounds i8, ptr %".20", i64 8
  %".22" = load i32, ptr %".20"
  %".23" = getelementptr inbounds i8, ptr %".20", i64 4
  %".24" = load i32, ptr %".23"
  %".25" = getelementptr inbounds i8, ptr %".1", i64 16
  %"selection" = load ptr, ptr %".25"
  %".26" = getelementptr inbounds i8, ptr %".1", i64 24
  %"mask" = load ptr, ptr %".26"
  %".27" = getelementptr inbounds i8, ptr %".1", i64 40
  %"row_begin" = load i64, ptr %".27"
  %".28" = getelementptr inbounds i8, ptr %".1", i64 48
  %"row_end" = load i64, ptr %".28"
  %".29" = sub i64 %"row_end", %"row_begin"
  %".30" = add i64 %".29", 16383
  %".31" = udiv i64 %".30", 16384
  %".81" = alloca i64
  %".106" = alloca i1
  %".109" = alloca i64
  br label %"block.head"
block.head:
  %"block" = phi  i64 [0, %"entry"], [%".139", %"pack.after.endif.endif"]
  %".33" = icmp slt i64 %"block", %".31"
  br i1 %".33", label %"block.body", label %"block.after"
block.body:
  %".35" = mul i64 %"block", 16384
  %".36" = add i64 %"row_begin", %".35"
  %".37" = add i64 %".36", 16384
  %".38" = icmp slt i64 %".37", %"row_end"
  %".39" = select  i1 %".38", i64 %".37", i64 %"row_end"
  %".40" = sub i64 %".39", %".36"
  %".41" = icmp slt i64 %".11", 32
  br i1 %".41", label %"block.body.if", label %"block.body.else"
block.after:
  %".141" = getelementptr inbounds i8, ptr %".1", i64 56
  store i64 %"row_end", ptr %".141"
  %".143" = getelementptr inbounds i8, ptr %".1", i64 64
  store i64 0, ptr %".143"
  br label %"leave.done"
block.body.if:
  br label %"test.head"
block.body.else:
  br label %"test.head.1"
block.body.endif:
  store i64 0, i64* %".81"
  br label %"pack.head"
test.head:
  %"test" = phi  i64 [0, %"block.body.if"], [%".59", %"test.body"]
  %".44" = icmp slt i64 %"test", %".40"
  br i1 %".44", label %"test.body", label %"test.after"
test.body:
  %".46" = add i64 %".36", %"test"
  %".47" = getelementptr inbounds i32, ptr %".5", i64 %".46"
  %".48" = load i32, ptr %".47"
  %".49" = sext i32 %".48" to i64
  %".50" = trunc i64 %".49" to i32
  %".51" = lshr i32 %".22", %".50"
  %".52" = trunc i32 %".51" to i1
  %".53" = lshr i32 %".24", %".50"
  %".54" = trunc i32 %".53" to i1
  %".55" = and i1 1, %".52"
  %".56" = zext i1 %".55" to i8
  %".57" = getelementptr inbounds i8, ptr %"mask", i64 %"test"
  store i8 %".56", ptr %".57"
  %".59" = add nsw i64 %"test", 1
  br label %"test.head"
test.after:
  br label %"block.body.endif"
test.head.1:
  %"test.1" = phi  i64 [0, %"block.body.else"], [%".78", %"test.body.1"]
  %".63" = icmp slt i64 %"test.1", %".40"
  br i1 %".63", label %"test.body.1", label %"test.after.1"
test.body.1:
  %".65" = add i64 %".36", %"test.1"
  %".66" = getelementptr inbounds i32, ptr %".5", i64 %".65"
  %".67" = load i32, ptr %".66"
  %".68" = sext i32 %".67" to i64
  %".69" = getelementptr inbounds i8, ptr %".21", i64 %".68"
  %".70" = load i8, ptr %".69"
  %".71" = trunc i8 %".70" to i1
  %".72" = lshr i8 %".70", 1
  %".73" = trunc i8 %".72" to i1
  %".74" = and i1 1, %".71"
  %".75" = zext i1 %".74" to i8
  %".76" = getelementptr inbounds i8, ptr %"mask", i64 %"test.1"
  store i8 %".75", ptr %".76"
  %".78" = add nsw i64 %"test.1", 1
  br label %"test.head.1"
test.after.1:
  br label %"block.body.endif"
pack.head:
  %"pack" = phi  i64 [0, %"block.body.endif"], [%".95", %"pack.body"]
  %".84" = icmp slt i64 %"pack", %".40"
  br i1 %".84", label %"pack.body", label %"pack.after"
pack.body:
  %".86" = getelementptr inbounds i8, ptr %"mask", i64 %"pack"
  %".87" = load i8, ptr %".86"
  %".88" = zext i8 %".87" to i64
  %".89" = load i64, i64* %".81"
  %".90" = trunc i64 %"pack" to i32
  %".91" = getelementptr inbounds i32, ptr %"selection", i64 %".89"
  store i32 %".90", ptr %".91"
  %".93" = add i64 %".89", %".88"
  store i64 %".93", i64* %".81"
  %".95" = add nsw i64 %"pack", 1
  br label %"pack.head"
pack.after:
  %".97" = load i64, i64* %".81"
  %".98" = getelementptr inbounds i8, ptr %".1", i64 32
  %"state" = load ptr, ptr %".98"
  %".99" = getelementptr inbounds i8, ptr %"state", i64 0
  %"current" = load ptr, ptr %".99"
  %".100" = getelementptr inbounds i8, ptr %"current", i64 48
  %"complete" = load i64, ptr %".100"
  %".101" = icmp ne i64 %"complete", 0
  %".102" = getelementptr inbounds i8, ptr %"current", i64 0
  %"slice_start" = load i64, ptr %".102"
  %".103" = shl i64 %".97", 2
  %".104" = sub i64 %".39", %".36"
  %".105" = icmp sge i64 %".103", %".104"
  store i1 0, i1* %".106"
  br i1 %".105", label %"pack.after.if", label %"pack.after.endif"
pack.after.if:
  store i64 0, i64* %".109"
  br label %"time.head"
pack.after.endif:
  %".126" = load i1, i1* %".106"
  %".127" = and i1 %".101", %".126"
  br i1 %".127", label %"pack.after.endif.if", label %"pack.after.endif.else"
time.head:
  %"time" = phi  i64 [%".36", %"pack.after.if"], [%".120", %"time.body"]
  %".112" = icmp slt i64 %"time", %".39"
  br i1 %".112", label %"time.body", label %"time.after"
time.body:
  %".114" = getelementptr inbounds i64, ptr %".15", i64 %"time"
  %".115" = load i64, ptr %".114"
  %".116" = load i64, i64* %".109"
  %".117" = sub i64 %".115", %"slice_start"
  %".118" = call i64 @"llvm.umax.i64"(i64 %".116", i64 %".117")
  store i64 %".118", i64* %".109"
  %".120" = add nsw i64 %"time", 1
  br label %"time.head"
time.after:
  %".122" = load i64, i64* %".109"
  %".123" = icmp ult i64 %".122", 10000000
  store i1 %".123", i1* %".106"
  br label %"pack.after.endif"
pack.after.endif.if:
  %".129" = call i32 @"fast"(ptr %".1", i64 %".36", i64 %".97")
  %".130" = icmp ne i32 %".129", 0
  br i1 %".130", label %"pack.after.endif.if.if", label %"pack.after.endif.if.endif", !prof !0
pack.after.endif.else:
  %".134" = call i32 @"general"(ptr %".1", i64 %".36", i64 %".97")
  %".135" = icmp ne i32 %".134", 0
  br i1 %".135", label %"pack.after.endif.else.if", label %"pack.after.endif.else.endif", !prof !0
pack.after.endif.endif:
  %".139" = add nsw i64 %"block", 1
  br label %"block.head"
pack.after.endif.if.if:
  ret i32 %".129"
pack.after.endif.if.endif:
  br label %"pack.after.endif.endif"
pack.after.endif.else.if:
  ret i32 %".134"
pack.after.endif.else.endif:
  br label %"pack.after.endif.endif"
leave.done:
  ret i32 0
}

declare i64 @"llvm.umax.i64"(i64 %".1", i64 %".2")

define i32 @"prepare"(ptr %".1")
{
entry:
  %".3" = getelementptr inbounds i8, ptr %".1", i64 0
  %"columns" = load ptr, ptr %".3"
  %".4" = getelementptr inbounds i8, ptr %"columns", i64 0
  %".5" = load ptr, ptr %".4"
  %".6" = getelementptr inbounds i8, ptr %"columns", i64 32
  %".7" = load ptr, ptr %".6"
  %".8" = getelementptr inbounds i8, ptr %"columns", i64 40
  %".9" = load ptr, ptr %".8"
  %".10" = getelementptr inbounds i8, ptr %"columns", i64 48
  %".11" = load i64, ptr %".10"
  %".12" = getelementptr inbounds i8, ptr %"columns", i64 56
  %".13" = load ptr, ptr %".12"
  %".14" = getelementptr inbounds i8, ptr %"columns", i64 112
  %".15" = load ptr, ptr %".14"
  %".16" = getelementptr inbounds i8, ptr %"columns", i64 168
  %".17" = load ptr, ptr %".16"
  %".18" = getelementptr inbounds i8, ptr %".1", i64 8
  %"lookups" = load ptr, ptr %".18"
  %".19" = getelementptr inbounds ptr, ptr %"lookups", i64 0
  %".20" = load ptr, ptr %".19"
  %".21" = getelementptr inbounds i8, ptr %".20", i64 8
  %".22" = load i32, ptr %".20"
  %".23" = getelementptr inbounds i8, ptr %".20", i64 4
  %".24" = load i32, ptr %".23"
  %".25" = alloca i32
  store i32 0, i32* %".25"
  %".27" = alloca i32
  store i32 0, i32* %".27"
  br label %"entry.head"
entry.head:
  %"entry.1" = phi  i64 [0, %"entry"], [%".65", %"entry.body.endif"]
  %".30" = icmp slt i64 %"entry.1", %".11"
  br i1 %".30", label %"entry.body", label %"entry.after"
entry.body:
  %".32" = getelementptr inbounds i32, ptr %".9", i64 %"entry.1"
  %".33" = load i32, ptr %".32"
  %".34" = getelementptr inbounds i8, ptr %".32", i64 4
  %".35" = load i32, ptr %".34"
  %".36" = sext i32 %".33" to i64
  %".37" = getelementptr inbounds i8, ptr %".7", i64 %".36"
  %".38" = sub i32 %".35", %".33"
  %".39" = icmp eq i32 %".38", 4
  %".40" = select  i1 %".39", ptr %".37", ptr @"bytes.1"
  %".41" = getelementptr inbounds i8, ptr %".40", i64 0
  %".42" = load i32, ptr %".41", align 1
  %".43" = icmp eq i32 %".42", 2003134838
  %".44" = and i1 %".39", %".43"
  %".45" = zext i1 0 to i8
  %".46" = zext i1 %".44" to i8
  %".47" = shl i8 %".45", 1
  %".48" = or i8 %".46", %".47"
  %".49" = getelementptr inbounds i8, ptr %".21", i64 %"entry.1"
  store i8 %".48", ptr %".49"
  %".51" = icmp ult i64 %"entry.1", 32
  br i1 %".51", label %"entry.body.if", label %"entry.body.endif"
entry.after:
  %".67" = getelementptr inbounds i8, ptr %".21", i64 -8
  %".68" = load i32, i32* %".25"
  store i32 %".68", ptr %".67"
  %".70" = getelementptr inbounds i8, ptr %".21", i64 -4
  %".71" = load i32, i32* %".27"
  store i32 %".71", ptr %".70"
  ret i32 0
entry.body.if:
  %".53" = trunc i64 %"entry.1" to i32
  %".54" = zext i1 %".44" to i32
  %".55" = shl i32 %".54", %".53"
  %".56" = load i32, i32* %".25"
  %".57" = or i32 %".56", %".55"
  store i32 %".57", i32* %".25"
  %".59" = zext i1 0 to i32
  %".60" = shl i32 %".59", %".53"
  %".61" = load i32, i32* %".27"
  %".62" = or i32 %".61", %".60"
  store i32 %".62", i32* %".27"
  br label %"entry.body.endif"
entry.body.endif:
  %".65" = add nsw i64 %"entry.1", 1
  br label %"entry.head"
}

@"bytes" = private constant [4 x i8] c"view"
@"bytes.1" = private constant [4 x i8] c"view"
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