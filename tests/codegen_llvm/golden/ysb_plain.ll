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
  %".10" = getelementptr inbounds i8, ptr %"columns", i64 56
  %".11" = load ptr, ptr %".10"
  %".12" = getelementptr inbounds i8, ptr %"columns", i64 112
  %".13" = load ptr, ptr %".12"
  %".14" = getelementptr inbounds i8, ptr %"columns", i64 168
  %".15" = load ptr, ptr %".14"
  %".16" = getelementptr inbounds i8, ptr %".1", i64 8
  %"lookups" = load ptr, ptr %".16"
  %".17" = getelementptr inbounds i8, ptr %".1", i64 32
  %"state" = load ptr, ptr %".17"
  %".18" = alloca i64
  store i64 0, i64* %".18"
  %".20" = alloca i64
  store i64 0, i64* %".20"
  %".22" = getelementptr inbounds i8, ptr %"state", i64 0
  %"current" = load ptr, ptr %".22"
  %".23" = alloca ptr
  store ptr %"current", ptr %".23"
  %".25" = alloca ptr
  store ptr null, ptr %".25"
  %".27" = alloca i64
  store i64 0, i64* %".27"
  %".29" = alloca i64
  store i64 0, i64* %".29"
  %".31" = alloca i64
  store i64 0, i64* %".31"
  store ptr %"current", ptr %".23"
  %".34" = getelementptr inbounds i8, ptr %"current", i64 8
  %"slots" = load ptr, ptr %".34"
  store ptr %"slots", ptr %".25"
  %".36" = getelementptr inbounds i8, ptr %"current", i64 16
  %"mask" = load i64, ptr %".36"
  store i64 %"mask", i64* %".27"
  %".38" = getelementptr inbounds i8, ptr %"current", i64 24
  %"shift" = load i64, ptr %".38"
  store i64 %"shift", i64* %".29"
  %".40" = getelementptr inbounds i8, ptr %"current", i64 0
  %"slice_start" = load i64, ptr %".40"
  store i64 %"slice_start", i64* %".31"
  %".42" = getelementptr inbounds i8, ptr %".1", i64 16
  %"selection" = load ptr, ptr %".42"
  br label %"pick.head"
pick.head:
  %"pick" = phi  i64 [0, %"entry"], [%".178", %"group.endif"]
  %".44" = icmp slt i64 %"pick", %".3"
  br i1 %".44", label %"pick.body", label %"pick.after"
pick.body:
  store i64 %"pick", i64* %".18"
  %".47" = getelementptr inbounds i32, ptr %"selection", i64 %"pick"
  %".48" = load i32, ptr %".47"
  %".49" = zext i32 %".48" to i64
  %".50" = add i64 %".2", %".49"
  %".51" = getelementptr inbounds i64, ptr %".15", i64 %".50"
  %".52" = load i64, ptr %".51"
  %".53" = getelementptr inbounds i64, ptr %".13", i64 %".50"
  %".54" = load i64, ptr %".53"
  %".55" = load i64, i64* %".31"
  %".56" = sub i64 %".54", %".55"
  %".57" = icmp uge i64 %".56", 10000000
  br i1 %".57", label %"pick.body.if", label %"pick.body.endif", !prof !0
pick.after:
  store i64 %".3", i64* %".18"
  %".181" = getelementptr inbounds i8, ptr %".1", i64 56
  store i64 %".2", ptr %".181"
  %".183" = getelementptr inbounds i8, ptr %".1", i64 64
  store i64 0, ptr %".183"
  br label %"leave.done"
pick.body.if:
  %".59" = sub i64 %".54", 0
  %".60" = srem i64 %".59", 10000000
  %".61" = icmp slt i64 %".60", 0
  %".62" = add i64 %".60", 10000000
  %".63" = select  i1 %".61", i64 %".62", i64 %".60"
  %".64" = sub i64 %".54", %".63"
  %".65" = getelementptr inbounds i8, ptr %"state", i64 8
  %"directory" = load ptr, ptr %".65"
  %".66" = getelementptr inbounds i8, ptr %"state", i64 16
  %"directory_mask" = load i64, ptr %".66"
  %".67" = getelementptr inbounds i8, ptr %"state", i64 24
  %"directory_shift" = load i64, ptr %".67"
  %".68" = mul i64 %".64", 11400714819323198485
  %".69" = lshr i64 %".68", %"directory_shift"
  br label %"slice.probe"
pick.body.endif:
  %".101" = getelementptr inbounds i64, ptr %".11", i64 %".50"
  %".102" = load i64, ptr %".101"
  %".103" = load ptr, ptr %".25"
  %".104" = mul i64 %".102", 11400714819323198485
  %".105" = load i64, i64* %".29"
  %".106" = lshr i64 %".104", %".105"
  %".107" = mul i64 %".106", 24
  %".108" = getelementptr inbounds i8, ptr %".103", i64 %".107"
  %".109" = load i64, ptr %".108"
  %".110" = or i64 3, 4
  %".111" = and i64 %".109", %".110"
  %".112" = or i64 1, 4
  %".113" = icmp eq i64 %".111", %".112"
  %".114" = getelementptr inbounds i8, ptr %".108", i64 8
  %".115" = load i64, ptr %".114"
  %".116" = icmp eq i64 %".115", %".102"
  %".117" = and i1 %".113", %".116"
  br i1 %".117", label %"group", label %"group.search", !prof !1
slice.probe:
  %".71" = phi  i64 [%".69", %"pick.body.if"], [%".86", %"slice.next"]
  %".72" = mul i64 %".71", 16
  %".73" = getelementptr inbounds i8, ptr %"directory", i64 %".72"
  %".74" = getelementptr inbounds i8, ptr %".73", i64 8
  %"table" = load ptr, ptr %".74"
  %".75" = icmp eq ptr %"table", null
  br i1 %".75", label %"slice.probe.if", label %"slice.probe.endif", !prof !0
slice.next:
  %".85" = add i64 %".71", 1
  %".86" = and i64 %".85", %"directory_mask"
  br label %"slice.probe"
slice.found:
  store ptr %"table", ptr %".23"
  %".89" = getelementptr inbounds i8, ptr %"table", i64 8
  %"slots.1" = load ptr, ptr %".89"
  store ptr %"slots.1", ptr %".25"
  %".91" = getelementptr inbounds i8, ptr %"table", i64 16
  %"mask.1" = load i64, ptr %".91"
  store i64 %"mask.1", i64* %".27"
  %".93" = getelementptr inbounds i8, ptr %"table", i64 24
  %"shift.1" = load i64, ptr %".93"
  store i64 %"shift.1", i64* %".29"
  %".95" = getelementptr inbounds i8, ptr %"table", i64 0
  %"slice_start.2" = load i64, ptr %".95"
  store i64 %"slice_start.2", i64* %".31"
  %".97" = load ptr, ptr %".23"
  %".98" = getelementptr inbounds i8, ptr %"state", i64 0
  store ptr %".97", ptr %".98"
  br label %"pick.body.endif"
slice.probe.if:
  %".77" = getelementptr inbounds i8, ptr %".1", i64 56
  store i64 %".50", ptr %".77"
  %".79" = getelementptr inbounds i8, ptr %".1", i64 64
  store i64 %".64", ptr %".79"
  br label %"leave.new_slice"
slice.probe.endif:
  %".82" = getelementptr inbounds i8, ptr %".73", i64 0
  %"slice_start.1" = load i64, ptr %".82"
  %".83" = icmp eq i64 %"slice_start.1", %".64"
  br i1 %".83", label %"slice.found", label %"slice.next"
leave.new_slice:
  %".186" = getelementptr inbounds i8, ptr %".1", i64 72
  %"rows_passed" = load i64, ptr %".186"
  %".187" = load i64, i64* %".18"
  %".188" = add i64 %"rows_passed", %".187"
  %".189" = getelementptr inbounds i8, ptr %".1", i64 72
  store i64 %".188", ptr %".189"
  %".191" = getelementptr inbounds i8, ptr %".1", i64 80
  %"probes" = load i64, ptr %".191"
  %".192" = load i64, i64* %".20"
  %".193" = add i64 %"probes", %".192"
  %".194" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".193", ptr %".194"
  ret i32 2
group.search:
  %".119" = load ptr, ptr %".25"
  %".120" = load i64, i64* %".27"
  br label %"group.probe"
group:
  %".164" = phi  ptr [%".108", %"pick.body.endif"], [%".124", %"group.found"]
  %".165" = getelementptr inbounds i8, ptr %".164", i64 16
  %".166" = load i64, ptr %".165"
  %".167" = call {i64, i1} @"llvm.sadd.with.overflow.i64"(i64 %".166", i64 %".52")
  %".168" = extractvalue {i64, i1} %".167", 0
  %".169" = extractvalue {i64, i1} %".167", 1
  br i1 %".169", label %"group.if", label %"group.endif", !prof !0
group.probe:
  %".122" = phi  i64 [%".106", %"group.search"], [%".139", %"group.step"]
  %".123" = mul i64 %".122", 24
  %".124" = getelementptr inbounds i8, ptr %".119", i64 %".123"
  %".125" = load i64, ptr %".124"
  %".126" = and i64 %".125", 3
  %".127" = icmp eq i64 %".126", 1
  %".128" = getelementptr inbounds i8, ptr %".124", i64 8
  %".129" = load i64, ptr %".128"
  %".130" = icmp eq i64 %".129", %".102"
  %".131" = and i1 %".127", %".130"
  br i1 %".131", label %"group.found", label %"group.miss", !prof !1
group.miss:
  %".133" = trunc i64 %".125" to i1
  br i1 %".133", label %"group.step", label %"group.insert"
group.step:
  %".135" = load i64, i64* %".20"
  %".136" = add i64 %".135", 1
  store i64 %".136", i64* %".20"
  %".138" = add i64 %".122", 1
  %".139" = and i64 %".138", %".120"
  br label %"group.probe"
group.insert:
  %".141" = load ptr, ptr %".23"
  %".142" = getelementptr inbounds i8, ptr %".141", i64 32
  %"count" = load i64, ptr %".142"
  %".143" = getelementptr inbounds i8, ptr %".141", i64 40
  %"limit" = load i64, ptr %".143"
  %".144" = icmp sge i64 %"count", %"limit"
  br i1 %".144", label %"group.insert.if", label %"group.insert.endif", !prof !0
group.found:
  %".160" = load i64, ptr %".124"
  %".161" = or i64 %".160", 4
  store i64 %".161", ptr %".124"
  br label %"group"
group.insert.if:
  %".146" = getelementptr inbounds i8, ptr %".1", i64 56
  store i64 %".50", ptr %".146"
  %".148" = getelementptr inbounds i8, ptr %".1", i64 64
  store i64 0, ptr %".148"
  br label %"leave.grow_table"
group.insert.endif:
  %".151" = add i64 %"count", 1
  %".152" = getelementptr inbounds i8, ptr %".141", i64 32
  store i64 %".151", ptr %".152"
  store i64 1, ptr %".124"
  %".155" = getelementptr inbounds i8, ptr %".124", i64 8
  store i64 %".102", ptr %".155"
  %".157" = getelementptr inbounds i8, ptr %".124", i64 16
  store i64 0, ptr %".157"
  br label %"group.found"
leave.grow_table:
  %".197" = getelementptr inbounds i8, ptr %".1", i64 72
  %"rows_passed.1" = load i64, ptr %".197"
  %".198" = load i64, i64* %".18"
  %".199" = add i64 %"rows_passed.1", %".198"
  %".200" = getelementptr inbounds i8, ptr %".1", i64 72
  store i64 %".199", ptr %".200"
  %".202" = getelementptr inbounds i8, ptr %".1", i64 80
  %"probes.1" = load i64, ptr %".202"
  %".203" = load i64, i64* %".20"
  %".204" = add i64 %"probes.1", %".203"
  %".205" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".204", ptr %".205"
  ret i32 1
group.if:
  %".171" = getelementptr inbounds i8, ptr %".1", i64 56
  store i64 %".50", ptr %".171"
  %".173" = getelementptr inbounds i8, ptr %".1", i64 64
  store i64 0, ptr %".173"
  br label %"leave.error"
group.endif:
  %".176" = getelementptr inbounds i8, ptr %".164", i64 16
  store i64 %".168", ptr %".176"
  %".178" = add nsw i64 %"pick", 1
  br label %"pick.head"
leave.error:
  %".208" = getelementptr inbounds i8, ptr %".1", i64 72
  %"rows_passed.2" = load i64, ptr %".208"
  %".209" = load i64, i64* %".18"
  %".210" = add i64 %"rows_passed.2", %".209"
  %".211" = getelementptr inbounds i8, ptr %".1", i64 72
  store i64 %".210", ptr %".211"
  %".213" = getelementptr inbounds i8, ptr %".1", i64 80
  %"probes.2" = load i64, ptr %".213"
  %".214" = load i64, i64* %".20"
  %".215" = add i64 %"probes.2", %".214"
  %".216" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".215", ptr %".216"
  ret i32 4
leave.done:
  %".219" = getelementptr inbounds i8, ptr %".1", i64 72
  %"rows_passed.3" = load i64, ptr %".219"
  %".220" = load i64, i64* %".18"
  %".221" = add i64 %"rows_passed.3", %".220"
  %".222" = getelementptr inbounds i8, ptr %".1", i64 72
  store i64 %".221", ptr %".222"
  %".224" = getelementptr inbounds i8, ptr %".1", i64 80
  %"probes.3" = load i64, ptr %".224"
  %".225" = load i64, i64* %".20"
  %".226" = add i64 %"probes.3", %".225"
  %".227" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".226", ptr %".227"
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
  %".10" = getelementptr inbounds i8, ptr %"columns", i64 56
  %".11" = load ptr, ptr %".10"
  %".12" = getelementptr inbounds i8, ptr %"columns", i64 112
  %".13" = load ptr, ptr %".12"
  %".14" = getelementptr inbounds i8, ptr %"columns", i64 168
  %".15" = load ptr, ptr %".14"
  %".16" = getelementptr inbounds i8, ptr %".1", i64 8
  %"lookups" = load ptr, ptr %".16"
  %".17" = getelementptr inbounds i8, ptr %".1", i64 32
  %"state" = load ptr, ptr %".17"
  %".18" = alloca i64
  store i64 0, i64* %".18"
  %".20" = alloca i64
  store i64 0, i64* %".20"
  %".22" = getelementptr inbounds i8, ptr %"state", i64 0
  %"current" = load ptr, ptr %".22"
  %".23" = alloca ptr
  store ptr %"current", ptr %".23"
  %".25" = alloca ptr
  store ptr null, ptr %".25"
  %".27" = alloca i64
  store i64 0, i64* %".27"
  %".29" = alloca i64
  store i64 0, i64* %".29"
  %".31" = alloca i64
  store i64 0, i64* %".31"
  store ptr %"current", ptr %".23"
  %".34" = getelementptr inbounds i8, ptr %"current", i64 8
  %"slots" = load ptr, ptr %".34"
  store ptr %"slots", ptr %".25"
  %".36" = getelementptr inbounds i8, ptr %"current", i64 16
  %"mask" = load i64, ptr %".36"
  store i64 %"mask", i64* %".27"
  %".38" = getelementptr inbounds i8, ptr %"current", i64 24
  %"shift" = load i64, ptr %".38"
  store i64 %"shift", i64* %".29"
  %".40" = getelementptr inbounds i8, ptr %"current", i64 0
  %"slice_start" = load i64, ptr %".40"
  store i64 %"slice_start", i64* %".31"
  %".42" = getelementptr inbounds i8, ptr %".1", i64 16
  %"selection" = load ptr, ptr %".42"
  br label %"pick.head"
pick.head:
  %"pick" = phi  i64 [0, %"entry"], [%".125", %"group.endif"]
  %".44" = icmp slt i64 %"pick", %".3"
  br i1 %".44", label %"pick.body", label %"pick.after"
pick.body:
  store i64 %"pick", i64* %".18"
  %".47" = getelementptr inbounds i32, ptr %"selection", i64 %"pick"
  %".48" = load i32, ptr %".47"
  %".49" = zext i32 %".48" to i64
  %".50" = add i64 %".2", %".49"
  %".51" = getelementptr inbounds i64, ptr %".15", i64 %".50"
  %".52" = load i64, ptr %".51"
  %".53" = getelementptr inbounds i64, ptr %".11", i64 %".50"
  %".54" = load i64, ptr %".53"
  %".55" = load ptr, ptr %".25"
  %".56" = mul i64 %".54", 11400714819323198485
  %".57" = load i64, i64* %".29"
  %".58" = lshr i64 %".56", %".57"
  %".59" = mul i64 %".58", 24
  %".60" = getelementptr inbounds i8, ptr %".55", i64 %".59"
  %".61" = getelementptr inbounds i8, ptr %".60", i64 8
  %".62" = load i64, ptr %".61"
  %".63" = icmp eq i64 %".62", %".54"
  %".64" = and i1 1, %".63"
  br i1 %".64", label %"group", label %"group.search", !prof !1
pick.after:
  store i64 %".3", i64* %".18"
  %".128" = getelementptr inbounds i8, ptr %".1", i64 56
  store i64 %".2", ptr %".128"
  %".130" = getelementptr inbounds i8, ptr %".1", i64 64
  store i64 0, ptr %".130"
  br label %"leave.done"
group.search:
  %".66" = load ptr, ptr %".25"
  %".67" = load i64, i64* %".27"
  br label %"group.probe"
group:
  %".111" = phi  ptr [%".60", %"pick.body"], [%".71", %"group.found"]
  %".112" = getelementptr inbounds i8, ptr %".111", i64 16
  %".113" = load i64, ptr %".112"
  %".114" = call {i64, i1} @"llvm.sadd.with.overflow.i64"(i64 %".113", i64 %".52")
  %".115" = extractvalue {i64, i1} %".114", 0
  %".116" = extractvalue {i64, i1} %".114", 1
  br i1 %".116", label %"group.if", label %"group.endif", !prof !0
group.probe:
  %".69" = phi  i64 [%".58", %"group.search"], [%".86", %"group.step"]
  %".70" = mul i64 %".69", 24
  %".71" = getelementptr inbounds i8, ptr %".66", i64 %".70"
  %".72" = load i64, ptr %".71"
  %".73" = and i64 %".72", 3
  %".74" = icmp eq i64 %".73", 1
  %".75" = getelementptr inbounds i8, ptr %".71", i64 8
  %".76" = load i64, ptr %".75"
  %".77" = icmp eq i64 %".76", %".54"
  %".78" = and i1 %".74", %".77"
  br i1 %".78", label %"group.found", label %"group.miss", !prof !1
group.miss:
  %".80" = trunc i64 %".72" to i1
  br i1 %".80", label %"group.step", label %"group.insert"
group.step:
  %".82" = load i64, i64* %".20"
  %".83" = add i64 %".82", 1
  store i64 %".83", i64* %".20"
  %".85" = add i64 %".69", 1
  %".86" = and i64 %".85", %".67"
  br label %"group.probe"
group.insert:
  %".88" = load ptr, ptr %".23"
  %".89" = getelementptr inbounds i8, ptr %".88", i64 32
  %"count" = load i64, ptr %".89"
  %".90" = getelementptr inbounds i8, ptr %".88", i64 40
  %"limit" = load i64, ptr %".90"
  %".91" = icmp sge i64 %"count", %"limit"
  br i1 %".91", label %"group.insert.if", label %"group.insert.endif", !prof !0
group.found:
  %".107" = load i64, ptr %".71"
  %".108" = or i64 %".107", 4
  store i64 %".108", ptr %".71"
  br label %"group"
group.insert.if:
  %".93" = getelementptr inbounds i8, ptr %".1", i64 56
  store i64 %".50", ptr %".93"
  %".95" = getelementptr inbounds i8, ptr %".1", i64 64
  store i64 0, ptr %".95"
  br label %"leave.grow_table"
group.insert.endif:
  %".98" = add i64 %"count", 1
  %".99" = getelementptr inbounds i8, ptr %".88", i64 32
  store i64 %".98", ptr %".99"
  store i64 1, ptr %".71"
  %".102" = getelementptr inbounds i8, ptr %".71", i64 8
  store i64 %".54", ptr %".102"
  %".104" = getelementptr inbounds i8, ptr %".71", i64 16
  store i64 0, ptr %".104"
  br label %"group.found"
leave.grow_table:
  %".133" = getelementptr inbounds i8, ptr %".1", i64 72
  %"rows_passed" = load i64, ptr %".133"
  %".134" = load i64, i64* %".18"
  %".135" = add i64 %"rows_passed", %".134"
  %".136" = getelementptr inbounds i8, ptr %".1", i64 72
  store i64 %".135", ptr %".136"
  %".138" = getelementptr inbounds i8, ptr %".1", i64 80
  %"probes" = load i64, ptr %".138"
  %".139" = load i64, i64* %".20"
  %".140" = add i64 %"probes", %".139"
  %".141" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".140", ptr %".141"
  ret i32 1
group.if:
  %".118" = getelementptr inbounds i8, ptr %".1", i64 56
  store i64 %".50", ptr %".118"
  %".120" = getelementptr inbounds i8, ptr %".1", i64 64
  store i64 1, ptr %".120"
  br label %"leave.error"
group.endif:
  %".123" = getelementptr inbounds i8, ptr %".111", i64 16
  store i64 %".115", ptr %".123"
  %".125" = add nsw i64 %"pick", 1
  br label %"pick.head"
leave.error:
  %".144" = getelementptr inbounds i8, ptr %".1", i64 72
  %"rows_passed.1" = load i64, ptr %".144"
  %".145" = load i64, i64* %".18"
  %".146" = add i64 %"rows_passed.1", %".145"
  %".147" = getelementptr inbounds i8, ptr %".1", i64 72
  store i64 %".146", ptr %".147"
  %".149" = getelementptr inbounds i8, ptr %".1", i64 80
  %"probes.1" = load i64, ptr %".149"
  %".150" = load i64, i64* %".20"
  %".151" = add i64 %"probes.1", %".150"
  %".152" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".151", ptr %".152"
  ret i32 4
leave.done:
  %".155" = getelementptr inbounds i8, ptr %".1", i64 72
  %"rows_passed.2" = load i64, ptr %".155"
  %".156" = load i64, i64* %".18"
  %".157" = add i64 %"rows_passed.2", %".156"
  %".158" = getelementptr inbounds i8, ptr %".1", i64 72
  store i64 %".157", ptr %".158"
  %".160" = getelementptr inbounds i8, ptr %".1", i64 80
  %"probes.2" = load i64, ptr %".160"
  %".161" = load i64, i64* %".20"
  %".162" = add i64 %"probes.2", %".161"
  %".163" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".162", ptr %".163"
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
  %".17" = getelementptr inbounds i8, ptr %".1", i64 40
  %"row_begin" = load i64, ptr %".17"
  %".18" = getelementptr inbounds i8, ptr %".1", i64 48
  %"row_end" = load i64, ptr %".18"
  %".19" = sub i64 %"row_end", %"row_begin"
  %".20" = add i64 %".19", 16383
  %".21" = udiv i64 %".20", 16384
  %".49" = alloca i64
  %".66" = alloca i64
  %".106" = alloca i1
  %".109" = alloca i64
  br label %"block.head"
block.head:
  %"block" = phi  i64 [0, %"entry"], [%".139", %"refine.after.endif.endif"]
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
  %".141" = getelementptr inbounds i8, ptr %".1", i64 56
  store i64 %"row_end", ptr %".141"
  %".143" = getelementptr inbounds i8, ptr %".1", i64 64
  store i64 0, ptr %".143"
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
  %".104" = sub i64 %".29", %".26"
  %".105" = icmp sge i64 %".103", %".104"
  store i1 0, i1* %".106"
  br i1 %".105", label %"refine.after.if", label %"refine.after.endif"
refine.after.if:
  store i64 0, i64* %".109"
  br label %"time.head"
refine.after.endif:
  %".126" = load i1, i1* %".106"
  %".127" = and i1 %".101", %".126"
  br i1 %".127", label %"refine.after.endif.if", label %"refine.after.endif.else"
time.head:
  %"time" = phi  i64 [%".26", %"refine.after.if"], [%".120", %"time.body"]
  %".112" = icmp slt i64 %"time", %".29"
  br i1 %".112", label %"time.body", label %"time.after"
time.body:
  %".114" = getelementptr inbounds i64, ptr %".11", i64 %"time"
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
  br label %"refine.after.endif"
refine.after.endif.if:
  %".129" = call i32 @"fast"(ptr %".1", i64 %".26", i64 %".97")
  %".130" = icmp ne i32 %".129", 0
  br i1 %".130", label %"refine.after.endif.if.if", label %"refine.after.endif.if.endif", !prof !0
refine.after.endif.else:
  %".134" = call i32 @"general"(ptr %".1", i64 %".26", i64 %".97")
  %".135" = icmp ne i32 %".134", 0
  br i1 %".135", label %"refine.after.endif.else.if", label %"refine.after.endif.else.endif", !prof !0
refine.after.endif.endif:
  %".139" = add nsw i64 %"block", 1
  br label %"block.head"
refine.after.endif.if.if:
  ret i32 %".129"
refine.after.endif.if.endif:
  br label %"refine.after.endif.endif"
refine.after.endif.else.if:
  ret i32 %".134"
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