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
  %".28" = getelementptr inbounds i8, ptr %".1", i64 72
  %"rows_passed" = load i64, ptr %".28"
  %".29" = alloca i64
  store i64 %"rows_passed", i64* %".29"
  %".31" = getelementptr inbounds i8, ptr %".1", i64 80
  %"probes" = load i64, ptr %".31"
  %".32" = alloca i64
  store i64 %"probes", i64* %".32"
  %".34" = getelementptr inbounds i8, ptr %"state", i64 0
  %"current" = load ptr, ptr %".34"
  %".35" = alloca ptr
  store ptr %"current", ptr %".35"
  %".37" = alloca ptr
  store ptr null, ptr %".37"
  %".39" = alloca i64
  store i64 0, i64* %".39"
  %".41" = alloca i64
  store i64 0, i64* %".41"
  %".43" = alloca i64
  store i64 0, i64* %".43"
  store ptr %"current", ptr %".35"
  %".46" = getelementptr inbounds i8, ptr %"current", i64 8
  %"slots" = load ptr, ptr %".46"
  store ptr %"slots", ptr %".37"
  %".48" = getelementptr inbounds i8, ptr %"current", i64 16
  %"mask" = load i64, ptr %".48"
  store i64 %"mask", i64* %".39"
  %".50" = getelementptr inbounds i8, ptr %"current", i64 24
  %"shift" = load i64, ptr %".50"
  store i64 %"shift", i64* %".41"
  %".52" = getelementptr inbounds i8, ptr %"current", i64 0
  %"slice_start" = load i64, ptr %".52"
  store i64 %"slice_start", i64* %".43"
  %".54" = getelementptr inbounds i8, ptr %".1", i64 16
  %"selection" = load ptr, ptr %".54"
  br label %"pick.head"
pick.head:
  %"pick" = phi  i64 [0, %"entry"], [%".192", %"group.endif"]
  %".56" = icmp slt i64 %"pick", %".3"
  br i1 %".56", label %"pick.body", label %"pick.after"
pick.body:
  %".58" = getelementptr inbounds i32, ptr %"selection", i64 %"pick"
  %".59" = load i32, ptr %".58"
  %".60" = zext i32 %".59" to i64
  %".61" = add i64 %".2", %".60"
  %".62" = getelementptr inbounds i64, ptr %".19", i64 %".61"
  %".63" = load i64, ptr %".62"
  %".64" = getelementptr inbounds i64, ptr %".17", i64 %".61"
  %".65" = load i64, ptr %".64"
  %".66" = load i64, i64* %".43"
  %".67" = sub i64 %".65", %".66"
  %".68" = icmp uge i64 %".67", 10000000
  br i1 %".68", label %"pick.body.if", label %"pick.body.endif", !prof !0
pick.after:
  %".194" = getelementptr inbounds i8, ptr %".1", i64 56
  store i64 %".2", ptr %".194"
  %".196" = getelementptr inbounds i8, ptr %".1", i64 64
  store i64 0, ptr %".196"
  br label %"leave.done"
pick.body.if:
  %".70" = sub i64 %".65", 0
  %".71" = srem i64 %".70", 10000000
  %".72" = icmp slt i64 %".71", 0
  %".73" = add i64 %".71", 10000000
  %".74" = select  i1 %".72", i64 %".73", i64 %".71"
  %".75" = sub i64 %".65", %".74"
  %".76" = getelementptr inbounds i8, ptr %"state", i64 8
  %"directory" = load ptr, ptr %".76"
  %".77" = getelementptr inbounds i8, ptr %"state", i64 16
  %"directory_mask" = load i64, ptr %".77"
  %".78" = getelementptr inbounds i8, ptr %"state", i64 24
  %"directory_shift" = load i64, ptr %".78"
  %".79" = mul i64 %".75", 11400714819323198485
  %".80" = lshr i64 %".79", %"directory_shift"
  br label %"slice.probe"
pick.body.endif:
  %".112" = getelementptr inbounds i64, ptr %".15", i64 %".61"
  %".113" = load i64, ptr %".112"
  %".114" = load ptr, ptr %".37"
  %".115" = mul i64 %".113", 11400714819323198485
  %".116" = load i64, i64* %".41"
  %".117" = lshr i64 %".115", %".116"
  %".118" = mul i64 %".117", 24
  %".119" = getelementptr inbounds i8, ptr %".114", i64 %".118"
  %".120" = load i64, ptr %".119"
  %".121" = or i64 3, 4
  %".122" = and i64 %".120", %".121"
  %".123" = or i64 1, 4
  %".124" = icmp eq i64 %".122", %".123"
  %".125" = getelementptr inbounds i8, ptr %".119", i64 8
  %".126" = load i64, ptr %".125"
  %".127" = icmp eq i64 %".126", %".113"
  %".128" = and i1 %".124", %".127"
  br i1 %".128", label %"group", label %"group.search", !prof !1
slice.probe:
  %".82" = phi  i64 [%".80", %"pick.body.if"], [%".97", %"slice.next"]
  %".83" = mul i64 %".82", 16
  %".84" = getelementptr inbounds i8, ptr %"directory", i64 %".83"
  %".85" = getelementptr inbounds i8, ptr %".84", i64 8
  %"table" = load ptr, ptr %".85"
  %".86" = icmp eq ptr %"table", null
  br i1 %".86", label %"slice.probe.if", label %"slice.probe.endif", !prof !0
slice.next:
  %".96" = add i64 %".82", 1
  %".97" = and i64 %".96", %"directory_mask"
  br label %"slice.probe"
slice.found:
  store ptr %"table", ptr %".35"
  %".100" = getelementptr inbounds i8, ptr %"table", i64 8
  %"slots.1" = load ptr, ptr %".100"
  store ptr %"slots.1", ptr %".37"
  %".102" = getelementptr inbounds i8, ptr %"table", i64 16
  %"mask.1" = load i64, ptr %".102"
  store i64 %"mask.1", i64* %".39"
  %".104" = getelementptr inbounds i8, ptr %"table", i64 24
  %"shift.1" = load i64, ptr %".104"
  store i64 %"shift.1", i64* %".41"
  %".106" = getelementptr inbounds i8, ptr %"table", i64 0
  %"slice_start.2" = load i64, ptr %".106"
  store i64 %"slice_start.2", i64* %".43"
  %".108" = load ptr, ptr %".35"
  %".109" = getelementptr inbounds i8, ptr %"state", i64 0
  store ptr %".108", ptr %".109"
  br label %"pick.body.endif"
slice.probe.if:
  %".88" = getelementptr inbounds i8, ptr %".1", i64 56
  store i64 %".61", ptr %".88"
  %".90" = getelementptr inbounds i8, ptr %".1", i64 64
  store i64 %".75", ptr %".90"
  br label %"leave.new_slice"
slice.probe.endif:
  %".93" = getelementptr inbounds i8, ptr %".84", i64 0
  %"slice_start.1" = load i64, ptr %".93"
  %".94" = icmp eq i64 %"slice_start.1", %".75"
  br i1 %".94", label %"slice.found", label %"slice.next"
leave.new_slice:
  %".199" = load i64, i64* %".29"
  %".200" = getelementptr inbounds i8, ptr %".1", i64 72
  store i64 %".199", ptr %".200"
  %".202" = load i64, i64* %".32"
  %".203" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".202", ptr %".203"
  ret i32 2
group.search:
  %".130" = load ptr, ptr %".37"
  %".131" = load i64, i64* %".39"
  br label %"group.probe"
group:
  %".175" = phi  ptr [%".119", %"pick.body.endif"], [%".135", %"group.found"]
  %".176" = getelementptr inbounds i8, ptr %".175", i64 16
  %".177" = load i64, ptr %".176"
  %".178" = call {i64, i1} @"llvm.sadd.with.overflow.i64"(i64 %".177", i64 %".63")
  %".179" = extractvalue {i64, i1} %".178", 0
  %".180" = extractvalue {i64, i1} %".178", 1
  br i1 %".180", label %"group.if", label %"group.endif", !prof !0
group.probe:
  %".133" = phi  i64 [%".117", %"group.search"], [%".150", %"group.step"]
  %".134" = mul i64 %".133", 24
  %".135" = getelementptr inbounds i8, ptr %".130", i64 %".134"
  %".136" = load i64, ptr %".135"
  %".137" = and i64 %".136", 3
  %".138" = icmp eq i64 %".137", 1
  %".139" = getelementptr inbounds i8, ptr %".135", i64 8
  %".140" = load i64, ptr %".139"
  %".141" = icmp eq i64 %".140", %".113"
  %".142" = and i1 %".138", %".141"
  br i1 %".142", label %"group.found", label %"group.miss", !prof !1
group.miss:
  %".144" = trunc i64 %".136" to i1
  br i1 %".144", label %"group.step", label %"group.insert"
group.step:
  %".146" = load i64, i64* %".32"
  %".147" = add i64 %".146", 1
  store i64 %".147", i64* %".32"
  %".149" = add i64 %".133", 1
  %".150" = and i64 %".149", %".131"
  br label %"group.probe"
group.insert:
  %".152" = load ptr, ptr %".35"
  %".153" = getelementptr inbounds i8, ptr %".152", i64 32
  %"count" = load i64, ptr %".153"
  %".154" = getelementptr inbounds i8, ptr %".152", i64 40
  %"limit" = load i64, ptr %".154"
  %".155" = icmp sge i64 %"count", %"limit"
  br i1 %".155", label %"group.insert.if", label %"group.insert.endif", !prof !0
group.found:
  %".171" = load i64, ptr %".135"
  %".172" = or i64 %".171", 4
  store i64 %".172", ptr %".135"
  br label %"group"
group.insert.if:
  %".157" = getelementptr inbounds i8, ptr %".1", i64 56
  store i64 %".61", ptr %".157"
  %".159" = getelementptr inbounds i8, ptr %".1", i64 64
  store i64 0, ptr %".159"
  br label %"leave.grow_table"
group.insert.endif:
  %".162" = add i64 %"count", 1
  %".163" = getelementptr inbounds i8, ptr %".152", i64 32
  store i64 %".162", ptr %".163"
  store i64 1, ptr %".135"
  %".166" = getelementptr inbounds i8, ptr %".135", i64 8
  store i64 %".113", ptr %".166"
  %".168" = getelementptr inbounds i8, ptr %".135", i64 16
  store i64 0, ptr %".168"
  br label %"group.found"
leave.grow_table:
  %".206" = load i64, i64* %".29"
  %".207" = getelementptr inbounds i8, ptr %".1", i64 72
  store i64 %".206", ptr %".207"
  %".209" = load i64, i64* %".32"
  %".210" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".209", ptr %".210"
  ret i32 1
group.if:
  %".182" = getelementptr inbounds i8, ptr %".1", i64 56
  store i64 %".61", ptr %".182"
  %".184" = getelementptr inbounds i8, ptr %".1", i64 64
  store i64 0, ptr %".184"
  br label %"leave.error"
group.endif:
  %".187" = getelementptr inbounds i8, ptr %".175", i64 16
  store i64 %".179", ptr %".187"
  %".189" = load i64, i64* %".29"
  %".190" = add i64 %".189", 1
  store i64 %".190", i64* %".29"
  %".192" = add nsw i64 %"pick", 1
  br label %"pick.head"
leave.error:
  %".213" = load i64, i64* %".29"
  %".214" = getelementptr inbounds i8, ptr %".1", i64 72
  store i64 %".213", ptr %".214"
  %".216" = load i64, i64* %".32"
  %".217" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".216", ptr %".217"
  ret i32 4
leave.done:
  %".220" = load i64, i64* %".29"
  %".221" = getelementptr inbounds i8, ptr %".1", i64 72
  store i64 %".220", ptr %".221"
  %".223" = load i64, i64* %".32"
  %".224" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".223", ptr %".224"
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
  %".28" = getelementptr inbounds i8, ptr %".1", i64 72
  %"rows_passed" = load i64, ptr %".28"
  %".29" = alloca i64
  store i64 %"rows_passed", i64* %".29"
  %".31" = getelementptr inbounds i8, ptr %".1", i64 80
  %"probes" = load i64, ptr %".31"
  %".32" = alloca i64
  store i64 %"probes", i64* %".32"
  %".34" = getelementptr inbounds i8, ptr %"state", i64 0
  %"current" = load ptr, ptr %".34"
  %".35" = alloca ptr
  store ptr %"current", ptr %".35"
  %".37" = alloca ptr
  store ptr null, ptr %".37"
  %".39" = alloca i64
  store i64 0, i64* %".39"
  %".41" = alloca i64
  store i64 0, i64* %".41"
  %".43" = alloca i64
  store i64 0, i64* %".43"
  store ptr %"current", ptr %".35"
  %".46" = getelementptr inbounds i8, ptr %"current", i64 8
  %"slots" = load ptr, ptr %".46"
  store ptr %"slots", ptr %".37"
  %".48" = getelementptr inbounds i8, ptr %"current", i64 16
  %"mask" = load i64, ptr %".48"
  store i64 %"mask", i64* %".39"
  %".50" = getelementptr inbounds i8, ptr %"current", i64 24
  %"shift" = load i64, ptr %".50"
  store i64 %"shift", i64* %".41"
  %".52" = getelementptr inbounds i8, ptr %"current", i64 0
  %"slice_start" = load i64, ptr %".52"
  store i64 %"slice_start", i64* %".43"
  %".54" = getelementptr inbounds i8, ptr %".1", i64 16
  %"selection" = load ptr, ptr %".54"
  br label %"pick.head"
pick.head:
  %"pick" = phi  i64 [0, %"entry"], [%".139", %"group.endif"]
  %".56" = icmp slt i64 %"pick", %".3"
  br i1 %".56", label %"pick.body", label %"pick.after"
pick.body:
  %".58" = getelementptr inbounds i32, ptr %"selection", i64 %"pick"
  %".59" = load i32, ptr %".58"
  %".60" = zext i32 %".59" to i64
  %".61" = add i64 %".2", %".60"
  %".62" = getelementptr inbounds i64, ptr %".19", i64 %".61"
  %".63" = load i64, ptr %".62"
  %".64" = getelementptr inbounds i64, ptr %".15", i64 %".61"
  %".65" = load i64, ptr %".64"
  %".66" = load ptr, ptr %".37"
  %".67" = mul i64 %".65", 11400714819323198485
  %".68" = load i64, i64* %".41"
  %".69" = lshr i64 %".67", %".68"
  %".70" = mul i64 %".69", 24
  %".71" = getelementptr inbounds i8, ptr %".66", i64 %".70"
  %".72" = getelementptr inbounds i8, ptr %".71", i64 8
  %".73" = load i64, ptr %".72"
  %".74" = icmp eq i64 %".73", %".65"
  %".75" = and i1 1, %".74"
  br i1 %".75", label %"group", label %"group.search", !prof !1
pick.after:
  %".141" = getelementptr inbounds i8, ptr %".1", i64 56
  store i64 %".2", ptr %".141"
  %".143" = getelementptr inbounds i8, ptr %".1", i64 64
  store i64 0, ptr %".143"
  br label %"leave.done"
group.search:
  %".77" = load ptr, ptr %".37"
  %".78" = load i64, i64* %".39"
  br label %"group.probe"
group:
  %".122" = phi  ptr [%".71", %"pick.body"], [%".82", %"group.found"]
  %".123" = getelementptr inbounds i8, ptr %".122", i64 16
  %".124" = load i64, ptr %".123"
  %".125" = call {i64, i1} @"llvm.sadd.with.overflow.i64"(i64 %".124", i64 %".63")
  %".126" = extractvalue {i64, i1} %".125", 0
  %".127" = extractvalue {i64, i1} %".125", 1
  br i1 %".127", label %"group.if", label %"group.endif", !prof !0
group.probe:
  %".80" = phi  i64 [%".69", %"group.search"], [%".97", %"group.step"]
  %".81" = mul i64 %".80", 24
  %".82" = getelementptr inbounds i8, ptr %".77", i64 %".81"
  %".83" = load i64, ptr %".82"
  %".84" = and i64 %".83", 3
  %".85" = icmp eq i64 %".84", 1
  %".86" = getelementptr inbounds i8, ptr %".82", i64 8
  %".87" = load i64, ptr %".86"
  %".88" = icmp eq i64 %".87", %".65"
  %".89" = and i1 %".85", %".88"
  br i1 %".89", label %"group.found", label %"group.miss", !prof !1
group.miss:
  %".91" = trunc i64 %".83" to i1
  br i1 %".91", label %"group.step", label %"group.insert"
group.step:
  %".93" = load i64, i64* %".32"
  %".94" = add i64 %".93", 1
  store i64 %".94", i64* %".32"
  %".96" = add i64 %".80", 1
  %".97" = and i64 %".96", %".78"
  br label %"group.probe"
group.insert:
  %".99" = load ptr, ptr %".35"
  %".100" = getelementptr inbounds i8, ptr %".99", i64 32
  %"count" = load i64, ptr %".100"
  %".101" = getelementptr inbounds i8, ptr %".99", i64 40
  %"limit" = load i64, ptr %".101"
  %".102" = icmp sge i64 %"count", %"limit"
  br i1 %".102", label %"group.insert.if", label %"group.insert.endif", !prof !0
group.found:
  %".118" = load i64, ptr %".82"
  %".119" = or i64 %".118", 4
  store i64 %".119", ptr %".82"
  br label %"group"
group.insert.if:
  %".104" = getelementptr inbounds i8, ptr %".1", i64 56
  store i64 %".61", ptr %".104"
  %".106" = getelementptr inbounds i8, ptr %".1", i64 64
  store i64 0, ptr %".106"
  br label %"leave.grow_table"
group.insert.endif:
  %".109" = add i64 %"count", 1
  %".110" = getelementptr inbounds i8, ptr %".99", i64 32
  store i64 %".109", ptr %".110"
  store i64 1, ptr %".82"
  %".113" = getelementptr inbounds i8, ptr %".82", i64 8
  store i64 %".65", ptr %".113"
  %".115" = getelementptr inbounds i8, ptr %".82", i64 16
  store i64 0, ptr %".115"
  br label %"group.found"
leave.grow_table:
  %".146" = load i64, i64* %".29"
  %".147" = getelementptr inbounds i8, ptr %".1", i64 72
  store i64 %".146", ptr %".147"
  %".149" = load i64, i64* %".32"
  %".150" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".149", ptr %".150"
  ret i32 1
group.if:
  %".129" = getelementptr inbounds i8, ptr %".1", i64 56
  store i64 %".61", ptr %".129"
  %".131" = getelementptr inbounds i8, ptr %".1", i64 64
  store i64 1, ptr %".131"
  br label %"leave.error"
group.endif:
  %".134" = getelementptr inbounds i8, ptr %".122", i64 16
  store i64 %".126", ptr %".134"
  %".136" = load i64, i64* %".29"
  %".137" = add i64 %".136", 1
  store i64 %".137", i64* %".29"
  %".139" = add nsw i64 %"pick", 1
  br label %"pick.head"
leave.error:
  %".153" = load i64, i64* %".29"
  %".154" = getelementptr inbounds i8, ptr %".1", i64 72
  store i64 %".153", ptr %".154"
  %".156" = load i64, i64* %".32"
  %".157" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".156", ptr %".157"
  ret i32 4
leave.done:
  %".160" = load i64, i64* %".29"
  %".161" = getelementptr inbounds i8, ptr %".1", i64 72
  store i64 %".160", ptr %".161"
  %".163" = load i64, i64* %".32"
  %".164" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".163", ptr %".164"
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