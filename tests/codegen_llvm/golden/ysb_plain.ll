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
  %"pick" = phi  i64 [0, %"entry"], [%".184", %"group.endif"]
  %".50" = icmp slt i64 %"pick", %".3"
  br i1 %".50", label %"pick.body", label %"pick.after"
pick.body:
  store i64 %"pick", i64* %".22"
  %".53" = getelementptr inbounds i32, ptr %"selection", i64 %"pick"
  %".54" = load i32, ptr %".53"
  %".55" = zext i32 %".54" to i64
  %".56" = add i64 %".2", %".55"
  %".57" = getelementptr inbounds i64, ptr %".16", i64 %".55"
  %".58" = load i64, ptr %".57"
  %".59" = load i64, i64* %".35"
  %".60" = sub i64 %".58", %".59"
  %".61" = icmp uge i64 %".60", 10000000
  br i1 %".61", label %"pick.body.if", label %"pick.body.endif", !prof !0
pick.after:
  store i64 %".3", i64* %".22"
  %".187" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".2", ptr %".187"
  %".189" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 0, ptr %".189"
  br label %"leave.done"
pick.body.if:
  %".63" = sub i64 %".58", 0
  %".64" = srem i64 %".63", 10000000
  %".65" = icmp slt i64 %".64", 0
  %".66" = add i64 %".64", 10000000
  %".67" = select  i1 %".65", i64 %".66", i64 %".64"
  %".68" = sub i64 %".58", %".67"
  %".69" = getelementptr inbounds i8, ptr %"state", i64 8
  %"directory" = load ptr, ptr %".69"
  %".70" = getelementptr inbounds i8, ptr %"state", i64 16
  %"directory_mask" = load i64, ptr %".70"
  %".71" = getelementptr inbounds i8, ptr %"state", i64 24
  %"directory_shift" = load i64, ptr %".71"
  %".72" = mul i64 %".68", 11400714819323198485
  %".73" = lshr i64 %".72", %"directory_shift"
  br label %"slice.probe"
pick.body.endif:
  %".105" = getelementptr inbounds i64, ptr %".19", i64 %".55"
  %".106" = load i64, ptr %".105"
  %".107" = getelementptr inbounds i64, ptr %".13", i64 %".55"
  %".108" = load i64, ptr %".107"
  %".109" = load ptr, ptr %".29"
  %".110" = mul i64 %".108", 11400714819323198485
  %".111" = load i64, i64* %".33"
  %".112" = lshr i64 %".110", %".111"
  %".113" = mul i64 %".112", 24
  %".114" = getelementptr inbounds i8, ptr %".109", i64 %".113"
  %".115" = load i64, ptr %".114"
  %".116" = or i64 3, 4
  %".117" = and i64 %".115", %".116"
  %".118" = or i64 1, 4
  %".119" = icmp eq i64 %".117", %".118"
  %".120" = getelementptr inbounds i8, ptr %".114", i64 8
  %".121" = load i64, ptr %".120"
  %".122" = icmp eq i64 %".121", %".108"
  %".123" = and i1 %".119", %".122"
  br i1 %".123", label %"group", label %"group.search", !prof !1
slice.probe:
  %".75" = phi  i64 [%".73", %"pick.body.if"], [%".90", %"slice.next"]
  %".76" = mul i64 %".75", 16
  %".77" = getelementptr inbounds i8, ptr %"directory", i64 %".76"
  %".78" = getelementptr inbounds i8, ptr %".77", i64 8
  %"table" = load ptr, ptr %".78"
  %".79" = icmp eq ptr %"table", null
  br i1 %".79", label %"slice.probe.if", label %"slice.probe.endif", !prof !0
slice.next:
  %".89" = add i64 %".75", 1
  %".90" = and i64 %".89", %"directory_mask"
  br label %"slice.probe"
slice.found:
  store ptr %"table", ptr %".27"
  %".93" = getelementptr inbounds i8, ptr %"table", i64 8
  %"slots.1" = load ptr, ptr %".93"
  store ptr %"slots.1", ptr %".29"
  %".95" = getelementptr inbounds i8, ptr %"table", i64 16
  %"mask.1" = load i64, ptr %".95"
  store i64 %"mask.1", i64* %".31"
  %".97" = getelementptr inbounds i8, ptr %"table", i64 24
  %"shift.1" = load i64, ptr %".97"
  store i64 %"shift.1", i64* %".33"
  %".99" = getelementptr inbounds i8, ptr %"table", i64 0
  %"slice_start.2" = load i64, ptr %".99"
  store i64 %"slice_start.2", i64* %".35"
  %".101" = load ptr, ptr %".27"
  %".102" = getelementptr inbounds i8, ptr %"state", i64 0
  store ptr %".101", ptr %".102"
  br label %"pick.body.endif"
slice.probe.if:
  %".81" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".56", ptr %".81"
  %".83" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 %".68", ptr %".83"
  br label %"leave.new_slice"
slice.probe.endif:
  %".86" = getelementptr inbounds i8, ptr %".77", i64 0
  %"slice_start.1" = load i64, ptr %".86"
  %".87" = icmp eq i64 %"slice_start.1", %".68"
  br i1 %".87", label %"slice.found", label %"slice.next"
leave.new_slice:
  %".192" = getelementptr inbounds i8, ptr %".1", i64 96
  %"rows_passed" = load i64, ptr %".192"
  %".193" = load i64, i64* %".22"
  %".194" = add i64 %"rows_passed", %".193"
  %".195" = getelementptr inbounds i8, ptr %".1", i64 96
  store i64 %".194", ptr %".195"
  %".197" = getelementptr inbounds i8, ptr %".1", i64 104
  %"probes" = load i64, ptr %".197"
  %".198" = load i64, i64* %".24"
  %".199" = add i64 %"probes", %".198"
  %".200" = getelementptr inbounds i8, ptr %".1", i64 104
  store i64 %".199", ptr %".200"
  ret i32 2
group.search:
  %".125" = load ptr, ptr %".29"
  %".126" = load i64, i64* %".31"
  br label %"group.probe"
group:
  %".170" = phi  ptr [%".114", %"pick.body.endif"], [%".130", %"group.found"]
  %".171" = getelementptr inbounds i8, ptr %".170", i64 16
  %".172" = load i64, ptr %".171"
  %".173" = call {i64, i1} @"llvm.sadd.with.overflow.i64"(i64 %".172", i64 %".106")
  %".174" = extractvalue {i64, i1} %".173", 0
  %".175" = extractvalue {i64, i1} %".173", 1
  br i1 %".175", label %"group.if", label %"group.endif", !prof !0
group.probe:
  %".128" = phi  i64 [%".112", %"group.search"], [%".145", %"group.step"]
  %".129" = mul i64 %".128", 24
  %".130" = getelementptr inbounds i8, ptr %".125", i64 %".129"
  %".131" = load i64, ptr %".130"
  %".132" = and i64 %".131", 3
  %".133" = icmp eq i64 %".132", 1
  %".134" = getelementptr inbounds i8, ptr %".130", i64 8
  %".135" = load i64, ptr %".134"
  %".136" = icmp eq i64 %".135", %".108"
  %".137" = and i1 %".133", %".136"
  br i1 %".137", label %"group.found", label %"group.miss", !prof !1
group.miss:
  %".139" = trunc i64 %".131" to i1
  br i1 %".139", label %"group.step", label %"group.insert"
group.step:
  %".141" = load i64, i64* %".24"
  %".142" = add i64 %".141", 1
  store i64 %".142", i64* %".24"
  %".144" = add i64 %".128", 1
  %".145" = and i64 %".144", %".126"
  br label %"group.probe"
group.insert:
  %".147" = load ptr, ptr %".27"
  %".148" = getelementptr inbounds i8, ptr %".147", i64 32
  %"count" = load i64, ptr %".148"
  %".149" = getelementptr inbounds i8, ptr %".147", i64 40
  %"limit" = load i64, ptr %".149"
  %".150" = icmp sge i64 %"count", %"limit"
  br i1 %".150", label %"group.insert.if", label %"group.insert.endif", !prof !0
group.found:
  %".166" = load i64, ptr %".130"
  %".167" = or i64 %".166", 4
  store i64 %".167", ptr %".130"
  br label %"group"
group.insert.if:
  %".152" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".56", ptr %".152"
  %".154" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 0, ptr %".154"
  br label %"leave.grow_table"
group.insert.endif:
  %".157" = add i64 %"count", 1
  %".158" = getelementptr inbounds i8, ptr %".147", i64 32
  store i64 %".157", ptr %".158"
  %".160" = getelementptr inbounds i8, ptr %".130", i64 8
  store i64 %".108", ptr %".160"
  %".162" = getelementptr inbounds i8, ptr %".130", i64 16
  store i64 0, ptr %".162"
  store i64 1, ptr %".130"
  br label %"group.found"
leave.grow_table:
  %".203" = getelementptr inbounds i8, ptr %".1", i64 96
  %"rows_passed.1" = load i64, ptr %".203"
  %".204" = load i64, i64* %".22"
  %".205" = add i64 %"rows_passed.1", %".204"
  %".206" = getelementptr inbounds i8, ptr %".1", i64 96
  store i64 %".205", ptr %".206"
  %".208" = getelementptr inbounds i8, ptr %".1", i64 104
  %"probes.1" = load i64, ptr %".208"
  %".209" = load i64, i64* %".24"
  %".210" = add i64 %"probes.1", %".209"
  %".211" = getelementptr inbounds i8, ptr %".1", i64 104
  store i64 %".210", ptr %".211"
  ret i32 1
group.if:
  %".177" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".56", ptr %".177"
  %".179" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 0, ptr %".179"
  br label %"leave.spill"
group.endif:
  %".182" = getelementptr inbounds i8, ptr %".170", i64 16
  store i64 %".174", ptr %".182"
  %".184" = add nsw i64 %"pick", 1
  br label %"pick.head"
leave.spill:
  %".214" = getelementptr inbounds i8, ptr %".1", i64 96
  %"rows_passed.2" = load i64, ptr %".214"
  %".215" = load i64, i64* %".22"
  %".216" = add i64 %"rows_passed.2", %".215"
  %".217" = getelementptr inbounds i8, ptr %".1", i64 96
  store i64 %".216", ptr %".217"
  %".219" = getelementptr inbounds i8, ptr %".1", i64 104
  %"probes.2" = load i64, ptr %".219"
  %".220" = load i64, i64* %".24"
  %".221" = add i64 %"probes.2", %".220"
  %".222" = getelementptr inbounds i8, ptr %".1", i64 104
  store i64 %".221", ptr %".222"
  ret i32 6
leave.done:
  %".225" = getelementptr inbounds i8, ptr %".1", i64 96
  %"rows_passed.3" = load i64, ptr %".225"
  %".226" = load i64, i64* %".22"
  %".227" = add i64 %"rows_passed.3", %".226"
  %".228" = getelementptr inbounds i8, ptr %".1", i64 96
  store i64 %".227", ptr %".228"
  %".230" = getelementptr inbounds i8, ptr %".1", i64 104
  %"probes.3" = load i64, ptr %".230"
  %".231" = load i64, i64* %".24"
  %".232" = add i64 %"probes.3", %".231"
  %".233" = getelementptr inbounds i8, ptr %".1", i64 104
  store i64 %".232", ptr %".233"
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
  %"pick" = phi  i64 [0, %"entry"], [%".131", %"group.endif"]
  %".50" = icmp slt i64 %"pick", %".3"
  br i1 %".50", label %"pick.body", label %"pick.after"
pick.body:
  store i64 %"pick", i64* %".22"
  %".53" = getelementptr inbounds i32, ptr %"selection", i64 %"pick"
  %".54" = load i32, ptr %".53"
  %".55" = zext i32 %".54" to i64
  %".56" = add i64 %".2", %".55"
  %".57" = getelementptr inbounds i64, ptr %".19", i64 %".55"
  %".58" = load i64, ptr %".57"
  %".59" = getelementptr inbounds i64, ptr %".13", i64 %".55"
  %".60" = load i64, ptr %".59"
  %".61" = load ptr, ptr %".29"
  %".62" = mul i64 %".60", 11400714819323198485
  %".63" = load i64, i64* %".33"
  %".64" = lshr i64 %".62", %".63"
  %".65" = mul i64 %".64", 24
  %".66" = getelementptr inbounds i8, ptr %".61", i64 %".65"
  %".67" = getelementptr inbounds i8, ptr %".66", i64 8
  %".68" = load i64, ptr %".67"
  %".69" = icmp eq i64 %".68", %".60"
  %".70" = and i1 1, %".69"
  br i1 %".70", label %"group", label %"group.search", !prof !1
pick.after:
  store i64 %".3", i64* %".22"
  %".134" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".2", ptr %".134"
  %".136" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 0, ptr %".136"
  br label %"leave.done"
group.search:
  %".72" = load ptr, ptr %".29"
  %".73" = load i64, i64* %".31"
  br label %"group.probe"
group:
  %".117" = phi  ptr [%".66", %"pick.body"], [%".77", %"group.found"]
  %".118" = getelementptr inbounds i8, ptr %".117", i64 16
  %".119" = load i64, ptr %".118"
  %".120" = call {i64, i1} @"llvm.sadd.with.overflow.i64"(i64 %".119", i64 %".58")
  %".121" = extractvalue {i64, i1} %".120", 0
  %".122" = extractvalue {i64, i1} %".120", 1
  br i1 %".122", label %"group.if", label %"group.endif", !prof !0
group.probe:
  %".75" = phi  i64 [%".64", %"group.search"], [%".92", %"group.step"]
  %".76" = mul i64 %".75", 24
  %".77" = getelementptr inbounds i8, ptr %".72", i64 %".76"
  %".78" = load i64, ptr %".77"
  %".79" = and i64 %".78", 3
  %".80" = icmp eq i64 %".79", 1
  %".81" = getelementptr inbounds i8, ptr %".77", i64 8
  %".82" = load i64, ptr %".81"
  %".83" = icmp eq i64 %".82", %".60"
  %".84" = and i1 %".80", %".83"
  br i1 %".84", label %"group.found", label %"group.miss", !prof !1
group.miss:
  %".86" = trunc i64 %".78" to i1
  br i1 %".86", label %"group.step", label %"group.insert"
group.step:
  %".88" = load i64, i64* %".24"
  %".89" = add i64 %".88", 1
  store i64 %".89", i64* %".24"
  %".91" = add i64 %".75", 1
  %".92" = and i64 %".91", %".73"
  br label %"group.probe"
group.insert:
  %".94" = load ptr, ptr %".27"
  %".95" = getelementptr inbounds i8, ptr %".94", i64 32
  %"count" = load i64, ptr %".95"
  %".96" = getelementptr inbounds i8, ptr %".94", i64 40
  %"limit" = load i64, ptr %".96"
  %".97" = icmp sge i64 %"count", %"limit"
  br i1 %".97", label %"group.insert.if", label %"group.insert.endif", !prof !0
group.found:
  %".113" = load i64, ptr %".77"
  %".114" = or i64 %".113", 4
  store i64 %".114", ptr %".77"
  br label %"group"
group.insert.if:
  %".99" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".56", ptr %".99"
  %".101" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 0, ptr %".101"
  br label %"leave.grow_table"
group.insert.endif:
  %".104" = add i64 %"count", 1
  %".105" = getelementptr inbounds i8, ptr %".94", i64 32
  store i64 %".104", ptr %".105"
  %".107" = getelementptr inbounds i8, ptr %".77", i64 8
  store i64 %".60", ptr %".107"
  %".109" = getelementptr inbounds i8, ptr %".77", i64 16
  store i64 0, ptr %".109"
  store i64 1, ptr %".77"
  br label %"group.found"
leave.grow_table:
  %".139" = getelementptr inbounds i8, ptr %".1", i64 96
  %"rows_passed" = load i64, ptr %".139"
  %".140" = load i64, i64* %".22"
  %".141" = add i64 %"rows_passed", %".140"
  %".142" = getelementptr inbounds i8, ptr %".1", i64 96
  store i64 %".141", ptr %".142"
  %".144" = getelementptr inbounds i8, ptr %".1", i64 104
  %"probes" = load i64, ptr %".144"
  %".145" = load i64, i64* %".24"
  %".146" = add i64 %"probes", %".145"
  %".147" = getelementptr inbounds i8, ptr %".1", i64 104
  store i64 %".146", ptr %".147"
  ret i32 1
group.if:
  %".124" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".56", ptr %".124"
  %".126" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 0, ptr %".126"
  br label %"leave.spill"
group.endif:
  %".129" = getelementptr inbounds i8, ptr %".117", i64 16
  store i64 %".121", ptr %".129"
  %".131" = add nsw i64 %"pick", 1
  br label %"pick.head"
leave.spill:
  %".150" = getelementptr inbounds i8, ptr %".1", i64 96
  %"rows_passed.1" = load i64, ptr %".150"
  %".151" = load i64, i64* %".22"
  %".152" = add i64 %"rows_passed.1", %".151"
  %".153" = getelementptr inbounds i8, ptr %".1", i64 96
  store i64 %".152", ptr %".153"
  %".155" = getelementptr inbounds i8, ptr %".1", i64 104
  %"probes.1" = load i64, ptr %".155"
  %".156" = load i64, i64* %".24"
  %".157" = add i64 %"probes.1", %".156"
  %".158" = getelementptr inbounds i8, ptr %".1", i64 104
  store i64 %".157", ptr %".158"
  ret i32 6
leave.done:
  %".161" = getelementptr inbounds i8, ptr %".1", i64 96
  %"rows_passed.2" = load i64, ptr %".161"
  %".162" = load i64, i64* %".22"
  %".163" = add i64 %"rows_passed.2", %".162"
  %".164" = getelementptr inbounds i8, ptr %".1", i64 96
  store i64 %".163", ptr %".164"
  %".166" = getelementptr inbounds i8, ptr %".1", i64 104
  %"probes.2" = load i64, ptr %".166"
  %".167" = load i64, i64* %".24"
  %".168" = add i64 %"probes.2", %".167"
  %".169" = getelementptr inbounds i8, ptr %".1", i64 104
  store i64 %".168", ptr %".169"
  ret i32 0
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
  %".15" = getelementptr inbounds i8, ptr %".1", i64 16
  %"selection" = load ptr, ptr %".15"
  %".16" = getelementptr inbounds i8, ptr %".1", i64 24
  %"mask" = load ptr, ptr %".16"
  %".17" = getelementptr inbounds i8, ptr %".1", i64 64
  %"row_begin" = load i64, ptr %".17"
  %".18" = getelementptr inbounds i8, ptr %".1", i64 72
  %"row_end" = load i64, ptr %".18"
  %".19" = sub i64 %"row_end", %"row_begin"
  %".20" = add i64 %".19", 16383
  %".21" = udiv i64 %".20", 16384
  %".49" = alloca i64
  %".66" = alloca i64
  %".110" = alloca i1
  %".113" = alloca i64
  br label %"block.head"
block.head:
  %"block" = phi  i64 [0, %"entry"], [%".144", %"refine.after.endif.endif"]
  %".23" = icmp slt i64 %"block", %".21"
  br i1 %".23", label %"block.body", label %"block.after"
block.body:
  %".25" = mul i64 %"block", 16384
  %".26" = add i64 %"row_begin", %".25"
  %".27" = add i64 %".26", 16384
  %".28" = icmp slt i64 %".27", %"row_end"
  %".29" = select  i1 %".28", i64 %".27", i64 %"row_end"
  %".30" = sub i64 %".29", %".26"
  br label %"test.head"
block.after:
  %".146" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %"row_end", ptr %".146"
  %".148" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 0, ptr %".148"
  br label %"leave.done"
test.head:
  %"test" = phi  i64 [0, %"block.body"], [%".47", %"test.body"]
  %".32" = icmp slt i64 %"test", %".30"
  br i1 %".32", label %"test.body", label %"test.after"
test.body:
  %".34" = add i64 %".26", %"test"
  %".35" = getelementptr inbounds i32, ptr %".7", i64 %".34"
  %".36" = load i32, ptr %".35"
  %".37" = getelementptr inbounds i8, ptr %".35", i64 4
  %".38" = load i32, ptr %".37"
  %".39" = sext i32 %".36" to i64
  %".40" = getelementptr inbounds i8, ptr %".5", i64 %".39"
  %".41" = sub i32 %".38", %".36"
  %".42" = icmp eq i32 %".41", 4
  %".43" = and i1 1, %".42"
  %".44" = zext i1 %".43" to i8
  %".45" = getelementptr inbounds i8, ptr %"mask", i64 %"test"
  store i8 %".44", ptr %".45"
  %".47" = add nsw i64 %"test", 1
  br label %"test.head"
test.after:
  store i64 0, i64* %".49"
  br label %"pack.head"
pack.head:
  %"pack" = phi  i64 [0, %"test.after"], [%".63", %"pack.body"]
  %".52" = icmp slt i64 %"pack", %".30"
  br i1 %".52", label %"pack.body", label %"pack.after"
pack.body:
  %".54" = getelementptr inbounds i8, ptr %"mask", i64 %"pack"
  %".55" = load i8, ptr %".54"
  %".56" = zext i8 %".55" to i64
  %".57" = load i64, i64* %".49"
  %".58" = trunc i64 %"pack" to i32
  %".59" = getelementptr inbounds i32, ptr %"selection", i64 %".57"
  store i32 %".58", ptr %".59"
  %".61" = add i64 %".57", %".56"
  store i64 %".61", i64* %".49"
  %".63" = add nsw i64 %"pack", 1
  br label %"pack.head"
pack.after:
  %".65" = load i64, i64* %".49"
  store i64 0, i64* %".66"
  br label %"refine.head"
refine.head:
  %"refine" = phi  i64 [0, %"pack.after"], [%".95", %"refine.body"]
  %".69" = icmp slt i64 %"refine", %".65"
  br i1 %".69", label %"refine.body", label %"refine.after"
refine.body:
  %".71" = getelementptr inbounds i32, ptr %"selection", i64 %"refine"
  %".72" = load i32, ptr %".71"
  %".73" = zext i32 %".72" to i64
  %".74" = add i64 %".26", %".73"
  %".75" = getelementptr inbounds i32, ptr %".7", i64 %".74"
  %".76" = load i32, ptr %".75"
  %".77" = getelementptr inbounds i8, ptr %".75", i64 4
  %".78" = load i32, ptr %".77"
  %".79" = sext i32 %".76" to i64
  %".80" = getelementptr inbounds i8, ptr %".5", i64 %".79"
  %".81" = sub i32 %".78", %".76"
  %".82" = icmp eq i32 %".81", 4
  %".83" = select  i1 %".82", ptr %".80", ptr @"bytes.1"
  %".84" = getelementptr inbounds i8, ptr %".83", i64 0
  %".85" = load i32, ptr %".84", align 1
  %".86" = icmp eq i32 %".85", 2003134838
  %".87" = and i1 %".82", %".86"
  %".88" = zext i1 %".87" to i64
  %".89" = load i64, i64* %".66"
  %".90" = trunc i64 %".73" to i32
  %".91" = getelementptr inbounds i32, ptr %"selection", i64 %".89"
  store i32 %".90", ptr %".91"
  %".93" = add i64 %".89", %".88"
  store i64 %".93", i64* %".66"
  %".95" = add nsw i64 %"refine", 1
  br label %"refine.head"
refine.after:
  %".97" = load i64, i64* %".66"
  %".98" = getelementptr inbounds i8, ptr %".1", i64 48
  %"state" = load ptr, ptr %".98"
  %".99" = getelementptr inbounds i8, ptr %"state", i64 0
  %"current" = load ptr, ptr %".99"
  %".100" = getelementptr inbounds i8, ptr %"current", i64 48
  %"complete" = load i64, ptr %".100"
  %".101" = icmp ne i64 %"complete", 0
  %".102" = shl i64 %".97", 2
  %".103" = sub i64 %".29", %".26"
  %".104" = icmp sge i64 %".102", %".103"
  %".105" = xor i1 0, -1
  %".106" = and i1 %".104", %".105"
  %".107" = getelementptr inbounds i8, ptr %".1", i64 48
  %"state.1" = load ptr, ptr %".107"
  %".108" = getelementptr inbounds i8, ptr %"state.1", i64 0
  %"current.1" = load ptr, ptr %".108"
  %".109" = getelementptr inbounds i8, ptr %"current.1", i64 0
  %"slice_start" = load i64, ptr %".109"
  store i1 0, i1* %".110"
  br i1 %".106", label %"refine.after.if", label %"refine.after.endif"
refine.after.if:
  store i64 0, i64* %".113"
  br label %"time.head"
refine.after.endif:
  %".130" = load i1, i1* %".110"
  %".131" = or i1 %".130", 0
  %".132" = and i1 %".101", %".131"
  br i1 %".132", label %"refine.after.endif.if", label %"refine.after.endif.else"
time.head:
  %"time" = phi  i64 [%".26", %"refine.after.if"], [%".124", %"time.body"]
  %".116" = icmp slt i64 %"time", %".29"
  br i1 %".116", label %"time.body", label %"time.after"
time.body:
  %".118" = getelementptr inbounds i64, ptr %".11", i64 %"time"
  %".119" = load i64, ptr %".118"
  %".120" = load i64, i64* %".113"
  %".121" = sub i64 %".119", %"slice_start"
  %".122" = call i64 @"llvm.umax.i64"(i64 %".120", i64 %".121")
  store i64 %".122", i64* %".113"
  %".124" = add nsw i64 %"time", 1
  br label %"time.head"
time.after:
  %".126" = load i64, i64* %".113"
  %".127" = icmp ult i64 %".126", 10000000
  store i1 %".127", i1* %".110"
  br label %"refine.after.endif"
refine.after.endif.if:
  %".134" = call i32 @"fast"(ptr %".1", i64 %".26", i64 %".97")
  %".135" = icmp ne i32 %".134", 0
  br i1 %".135", label %"refine.after.endif.if.if", label %"refine.after.endif.if.endif", !prof !0
refine.after.endif.else:
  %".139" = call i32 @"general"(ptr %".1", i64 %".26", i64 %".97")
  %".140" = icmp ne i32 %".139", 0
  br i1 %".140", label %"refine.after.endif.else.if", label %"refine.after.endif.else.endif", !prof !0
refine.after.endif.endif:
  %".144" = add nsw i64 %"block", 1
  br label %"block.head"
refine.after.endif.if.if:
  ret i32 %".134"
refine.after.endif.if.endif:
  br label %"refine.after.endif.endif"
refine.after.endif.else.if:
  ret i32 %".139"
refine.after.endif.else.endif:
  br label %"refine.after.endif.endif"
leave.done:
  ret i32 0
}

@"bytes" = private constant [4 x i8] c"view"
@"bytes.1" = private constant [4 x i8] c"view"
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