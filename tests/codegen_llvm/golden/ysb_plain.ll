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
  %".17" = getelementptr inbounds i8, ptr %".1", i64 48
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
  %".42" = alloca i64
  store i64 0, i64* %".42"
  %".44" = getelementptr inbounds i8, ptr %".1", i64 16
  %"selection" = load ptr, ptr %".44"
  br label %"pick.head"
pick.head:
  %"pick" = phi  i64 [0, %"entry"], [%".180", %"group.endif"]
  %".46" = icmp slt i64 %"pick", %".3"
  br i1 %".46", label %"pick.body", label %"pick.after"
pick.body:
  store i64 %"pick", i64* %".18"
  %".49" = getelementptr inbounds i32, ptr %"selection", i64 %"pick"
  %".50" = load i32, ptr %".49"
  %".51" = zext i32 %".50" to i64
  %".52" = add i64 %".2", %".51"
  %".53" = getelementptr inbounds i64, ptr %".13", i64 %".52"
  %".54" = load i64, ptr %".53"
  %".55" = load i64, i64* %".31"
  %".56" = sub i64 %".54", %".55"
  %".57" = icmp uge i64 %".56", 10000000
  br i1 %".57", label %"pick.body.if", label %"pick.body.endif", !prof !0
pick.after:
  store i64 %".3", i64* %".18"
  %".183" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".2", ptr %".183"
  %".185" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 0, ptr %".185"
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
  %".101" = getelementptr inbounds i64, ptr %".15", i64 %".52"
  %".102" = load i64, ptr %".101"
  %".103" = getelementptr inbounds i64, ptr %".11", i64 %".52"
  %".104" = load i64, ptr %".103"
  %".105" = load ptr, ptr %".25"
  %".106" = mul i64 %".104", 11400714819323198485
  %".107" = load i64, i64* %".29"
  %".108" = lshr i64 %".106", %".107"
  %".109" = mul i64 %".108", 24
  %".110" = getelementptr inbounds i8, ptr %".105", i64 %".109"
  %".111" = load i64, ptr %".110"
  %".112" = or i64 3, 4
  %".113" = and i64 %".111", %".112"
  %".114" = or i64 1, 4
  %".115" = icmp eq i64 %".113", %".114"
  %".116" = getelementptr inbounds i8, ptr %".110", i64 8
  %".117" = load i64, ptr %".116"
  %".118" = icmp eq i64 %".117", %".104"
  %".119" = and i1 %".115", %".118"
  br i1 %".119", label %"group", label %"group.search", !prof !1
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
  %".77" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".52", ptr %".77"
  %".79" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 %".64", ptr %".79"
  br label %"leave.new_slice"
slice.probe.endif:
  %".82" = getelementptr inbounds i8, ptr %".73", i64 0
  %"slice_start.1" = load i64, ptr %".82"
  %".83" = icmp eq i64 %"slice_start.1", %".64"
  br i1 %".83", label %"slice.found", label %"slice.next"
leave.new_slice:
  %".188" = getelementptr inbounds i8, ptr %".1", i64 96
  %"rows_passed" = load i64, ptr %".188"
  %".189" = load i64, i64* %".18"
  %".190" = add i64 %"rows_passed", %".189"
  %".191" = getelementptr inbounds i8, ptr %".1", i64 96
  store i64 %".190", ptr %".191"
  %".193" = getelementptr inbounds i8, ptr %".1", i64 104
  %"probes" = load i64, ptr %".193"
  %".194" = load i64, i64* %".20"
  %".195" = add i64 %"probes", %".194"
  %".196" = getelementptr inbounds i8, ptr %".1", i64 104
  store i64 %".195", ptr %".196"
  ret i32 2
group.search:
  %".121" = load ptr, ptr %".25"
  %".122" = load i64, i64* %".27"
  br label %"group.probe"
group:
  %".166" = phi  ptr [%".110", %"pick.body.endif"], [%".126", %"group.found"]
  %".167" = getelementptr inbounds i8, ptr %".166", i64 16
  %".168" = load i64, ptr %".167"
  %".169" = call {i64, i1} @"llvm.sadd.with.overflow.i64"(i64 %".168", i64 %".102")
  %".170" = extractvalue {i64, i1} %".169", 0
  %".171" = extractvalue {i64, i1} %".169", 1
  br i1 %".171", label %"group.if", label %"group.endif", !prof !0
group.probe:
  %".124" = phi  i64 [%".108", %"group.search"], [%".141", %"group.step"]
  %".125" = mul i64 %".124", 24
  %".126" = getelementptr inbounds i8, ptr %".121", i64 %".125"
  %".127" = load i64, ptr %".126"
  %".128" = and i64 %".127", 3
  %".129" = icmp eq i64 %".128", 1
  %".130" = getelementptr inbounds i8, ptr %".126", i64 8
  %".131" = load i64, ptr %".130"
  %".132" = icmp eq i64 %".131", %".104"
  %".133" = and i1 %".129", %".132"
  br i1 %".133", label %"group.found", label %"group.miss", !prof !1
group.miss:
  %".135" = trunc i64 %".127" to i1
  br i1 %".135", label %"group.step", label %"group.insert"
group.step:
  %".137" = load i64, i64* %".20"
  %".138" = add i64 %".137", 1
  store i64 %".138", i64* %".20"
  %".140" = add i64 %".124", 1
  %".141" = and i64 %".140", %".122"
  br label %"group.probe"
group.insert:
  %".143" = load ptr, ptr %".23"
  %".144" = getelementptr inbounds i8, ptr %".143", i64 32
  %"count" = load i64, ptr %".144"
  %".145" = getelementptr inbounds i8, ptr %".143", i64 40
  %"limit" = load i64, ptr %".145"
  %".146" = icmp sge i64 %"count", %"limit"
  br i1 %".146", label %"group.insert.if", label %"group.insert.endif", !prof !0
group.found:
  %".162" = load i64, ptr %".126"
  %".163" = or i64 %".162", 4
  store i64 %".163", ptr %".126"
  br label %"group"
group.insert.if:
  %".148" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".52", ptr %".148"
  %".150" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 0, ptr %".150"
  br label %"leave.grow_table"
group.insert.endif:
  %".153" = add i64 %"count", 1
  %".154" = getelementptr inbounds i8, ptr %".143", i64 32
  store i64 %".153", ptr %".154"
  %".156" = getelementptr inbounds i8, ptr %".126", i64 8
  store i64 %".104", ptr %".156"
  %".158" = getelementptr inbounds i8, ptr %".126", i64 16
  store i64 0, ptr %".158"
  store i64 1, ptr %".126"
  br label %"group.found"
leave.grow_table:
  %".199" = getelementptr inbounds i8, ptr %".1", i64 96
  %"rows_passed.1" = load i64, ptr %".199"
  %".200" = load i64, i64* %".18"
  %".201" = add i64 %"rows_passed.1", %".200"
  %".202" = getelementptr inbounds i8, ptr %".1", i64 96
  store i64 %".201", ptr %".202"
  %".204" = getelementptr inbounds i8, ptr %".1", i64 104
  %"probes.1" = load i64, ptr %".204"
  %".205" = load i64, i64* %".20"
  %".206" = add i64 %"probes.1", %".205"
  %".207" = getelementptr inbounds i8, ptr %".1", i64 104
  store i64 %".206", ptr %".207"
  ret i32 1
group.if:
  %".173" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".52", ptr %".173"
  %".175" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 0, ptr %".175"
  br label %"leave.spill"
group.endif:
  %".178" = getelementptr inbounds i8, ptr %".166", i64 16
  store i64 %".170", ptr %".178"
  %".180" = add nsw i64 %"pick", 1
  br label %"pick.head"
leave.spill:
  %".210" = getelementptr inbounds i8, ptr %".1", i64 96
  %"rows_passed.2" = load i64, ptr %".210"
  %".211" = load i64, i64* %".18"
  %".212" = add i64 %"rows_passed.2", %".211"
  %".213" = getelementptr inbounds i8, ptr %".1", i64 96
  store i64 %".212", ptr %".213"
  %".215" = getelementptr inbounds i8, ptr %".1", i64 104
  %"probes.2" = load i64, ptr %".215"
  %".216" = load i64, i64* %".20"
  %".217" = add i64 %"probes.2", %".216"
  %".218" = getelementptr inbounds i8, ptr %".1", i64 104
  store i64 %".217", ptr %".218"
  ret i32 6
leave.done:
  %".221" = getelementptr inbounds i8, ptr %".1", i64 96
  %"rows_passed.3" = load i64, ptr %".221"
  %".222" = load i64, i64* %".18"
  %".223" = add i64 %"rows_passed.3", %".222"
  %".224" = getelementptr inbounds i8, ptr %".1", i64 96
  store i64 %".223", ptr %".224"
  %".226" = getelementptr inbounds i8, ptr %".1", i64 104
  %"probes.3" = load i64, ptr %".226"
  %".227" = load i64, i64* %".20"
  %".228" = add i64 %"probes.3", %".227"
  %".229" = getelementptr inbounds i8, ptr %".1", i64 104
  store i64 %".228", ptr %".229"
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
  %".17" = getelementptr inbounds i8, ptr %".1", i64 48
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
  %".42" = alloca i64
  store i64 0, i64* %".42"
  %".44" = getelementptr inbounds i8, ptr %".1", i64 16
  %"selection" = load ptr, ptr %".44"
  br label %"pick.head"
pick.head:
  %"pick" = phi  i64 [0, %"entry"], [%".127", %"group.endif"]
  %".46" = icmp slt i64 %"pick", %".3"
  br i1 %".46", label %"pick.body", label %"pick.after"
pick.body:
  store i64 %"pick", i64* %".18"
  %".49" = getelementptr inbounds i32, ptr %"selection", i64 %"pick"
  %".50" = load i32, ptr %".49"
  %".51" = zext i32 %".50" to i64
  %".52" = add i64 %".2", %".51"
  %".53" = getelementptr inbounds i64, ptr %".15", i64 %".52"
  %".54" = load i64, ptr %".53"
  %".55" = getelementptr inbounds i64, ptr %".11", i64 %".52"
  %".56" = load i64, ptr %".55"
  %".57" = load ptr, ptr %".25"
  %".58" = mul i64 %".56", 11400714819323198485
  %".59" = load i64, i64* %".29"
  %".60" = lshr i64 %".58", %".59"
  %".61" = mul i64 %".60", 24
  %".62" = getelementptr inbounds i8, ptr %".57", i64 %".61"
  %".63" = getelementptr inbounds i8, ptr %".62", i64 8
  %".64" = load i64, ptr %".63"
  %".65" = icmp eq i64 %".64", %".56"
  %".66" = and i1 1, %".65"
  br i1 %".66", label %"group", label %"group.search", !prof !1
pick.after:
  store i64 %".3", i64* %".18"
  %".130" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".2", ptr %".130"
  %".132" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 0, ptr %".132"
  br label %"leave.done"
group.search:
  %".68" = load ptr, ptr %".25"
  %".69" = load i64, i64* %".27"
  br label %"group.probe"
group:
  %".113" = phi  ptr [%".62", %"pick.body"], [%".73", %"group.found"]
  %".114" = getelementptr inbounds i8, ptr %".113", i64 16
  %".115" = load i64, ptr %".114"
  %".116" = call {i64, i1} @"llvm.sadd.with.overflow.i64"(i64 %".115", i64 %".54")
  %".117" = extractvalue {i64, i1} %".116", 0
  %".118" = extractvalue {i64, i1} %".116", 1
  br i1 %".118", label %"group.if", label %"group.endif", !prof !0
group.probe:
  %".71" = phi  i64 [%".60", %"group.search"], [%".88", %"group.step"]
  %".72" = mul i64 %".71", 24
  %".73" = getelementptr inbounds i8, ptr %".68", i64 %".72"
  %".74" = load i64, ptr %".73"
  %".75" = and i64 %".74", 3
  %".76" = icmp eq i64 %".75", 1
  %".77" = getelementptr inbounds i8, ptr %".73", i64 8
  %".78" = load i64, ptr %".77"
  %".79" = icmp eq i64 %".78", %".56"
  %".80" = and i1 %".76", %".79"
  br i1 %".80", label %"group.found", label %"group.miss", !prof !1
group.miss:
  %".82" = trunc i64 %".74" to i1
  br i1 %".82", label %"group.step", label %"group.insert"
group.step:
  %".84" = load i64, i64* %".20"
  %".85" = add i64 %".84", 1
  store i64 %".85", i64* %".20"
  %".87" = add i64 %".71", 1
  %".88" = and i64 %".87", %".69"
  br label %"group.probe"
group.insert:
  %".90" = load ptr, ptr %".23"
  %".91" = getelementptr inbounds i8, ptr %".90", i64 32
  %"count" = load i64, ptr %".91"
  %".92" = getelementptr inbounds i8, ptr %".90", i64 40
  %"limit" = load i64, ptr %".92"
  %".93" = icmp sge i64 %"count", %"limit"
  br i1 %".93", label %"group.insert.if", label %"group.insert.endif", !prof !0
group.found:
  %".109" = load i64, ptr %".73"
  %".110" = or i64 %".109", 4
  store i64 %".110", ptr %".73"
  br label %"group"
group.insert.if:
  %".95" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".52", ptr %".95"
  %".97" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 0, ptr %".97"
  br label %"leave.grow_table"
group.insert.endif:
  %".100" = add i64 %"count", 1
  %".101" = getelementptr inbounds i8, ptr %".90", i64 32
  store i64 %".100", ptr %".101"
  %".103" = getelementptr inbounds i8, ptr %".73", i64 8
  store i64 %".56", ptr %".103"
  %".105" = getelementptr inbounds i8, ptr %".73", i64 16
  store i64 0, ptr %".105"
  store i64 1, ptr %".73"
  br label %"group.found"
leave.grow_table:
  %".135" = getelementptr inbounds i8, ptr %".1", i64 96
  %"rows_passed" = load i64, ptr %".135"
  %".136" = load i64, i64* %".18"
  %".137" = add i64 %"rows_passed", %".136"
  %".138" = getelementptr inbounds i8, ptr %".1", i64 96
  store i64 %".137", ptr %".138"
  %".140" = getelementptr inbounds i8, ptr %".1", i64 104
  %"probes" = load i64, ptr %".140"
  %".141" = load i64, i64* %".20"
  %".142" = add i64 %"probes", %".141"
  %".143" = getelementptr inbounds i8, ptr %".1", i64 104
  store i64 %".142", ptr %".143"
  ret i32 1
group.if:
  %".120" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".52", ptr %".120"
  %".122" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 0, ptr %".122"
  br label %"leave.spill"
group.endif:
  %".125" = getelementptr inbounds i8, ptr %".113", i64 16
  store i64 %".117", ptr %".125"
  %".127" = add nsw i64 %"pick", 1
  br label %"pick.head"
leave.spill:
  %".146" = getelementptr inbounds i8, ptr %".1", i64 96
  %"rows_passed.1" = load i64, ptr %".146"
  %".147" = load i64, i64* %".18"
  %".148" = add i64 %"rows_passed.1", %".147"
  %".149" = getelementptr inbounds i8, ptr %".1", i64 96
  store i64 %".148", ptr %".149"
  %".151" = getelementptr inbounds i8, ptr %".1", i64 104
  %"probes.1" = load i64, ptr %".151"
  %".152" = load i64, i64* %".20"
  %".153" = add i64 %"probes.1", %".152"
  %".154" = getelementptr inbounds i8, ptr %".1", i64 104
  store i64 %".153", ptr %".154"
  ret i32 6
leave.done:
  %".157" = getelementptr inbounds i8, ptr %".1", i64 96
  %"rows_passed.2" = load i64, ptr %".157"
  %".158" = load i64, i64* %".18"
  %".159" = add i64 %"rows_passed.2", %".158"
  %".160" = getelementptr inbounds i8, ptr %".1", i64 96
  store i64 %".159", ptr %".160"
  %".162" = getelementptr inbounds i8, ptr %".1", i64 104
  %"probes.2" = load i64, ptr %".162"
  %".163" = load i64, i64* %".20"
  %".164" = add i64 %"probes.2", %".163"
  %".165" = getelementptr inbounds i8, ptr %".1", i64 104
  store i64 %".164", ptr %".165"
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