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
  %".18" = getelementptr inbounds i8, ptr %".1", i64 72
  %"rows_passed" = load i64, ptr %".18"
  %".19" = alloca i64
  store i64 %"rows_passed", i64* %".19"
  %".21" = getelementptr inbounds i8, ptr %".1", i64 80
  %"probes" = load i64, ptr %".21"
  %".22" = alloca i64
  store i64 %"probes", i64* %".22"
  %".24" = getelementptr inbounds i8, ptr %"state", i64 0
  %"current" = load ptr, ptr %".24"
  %".25" = alloca ptr
  store ptr %"current", ptr %".25"
  %".27" = alloca ptr
  store ptr null, ptr %".27"
  %".29" = alloca i64
  store i64 0, i64* %".29"
  %".31" = alloca i64
  store i64 0, i64* %".31"
  %".33" = alloca i64
  store i64 0, i64* %".33"
  store ptr %"current", ptr %".25"
  %".36" = getelementptr inbounds i8, ptr %"current", i64 8
  %"slots" = load ptr, ptr %".36"
  store ptr %"slots", ptr %".27"
  %".38" = getelementptr inbounds i8, ptr %"current", i64 16
  %"mask" = load i64, ptr %".38"
  store i64 %"mask", i64* %".29"
  %".40" = getelementptr inbounds i8, ptr %"current", i64 24
  %"shift" = load i64, ptr %".40"
  store i64 %"shift", i64* %".31"
  %".42" = getelementptr inbounds i8, ptr %"current", i64 0
  %"slice_start" = load i64, ptr %".42"
  store i64 %"slice_start", i64* %".33"
  %".44" = getelementptr inbounds i8, ptr %".1", i64 16
  %"selection" = load ptr, ptr %".44"
  br label %"pick.head"
pick.head:
  %"pick" = phi  i64 [0, %"entry"], [%".182", %"group.endif"]
  %".46" = icmp slt i64 %"pick", %".3"
  br i1 %".46", label %"pick.body", label %"pick.after"
pick.body:
  %".48" = getelementptr inbounds i32, ptr %"selection", i64 %"pick"
  %".49" = load i32, ptr %".48"
  %".50" = zext i32 %".49" to i64
  %".51" = add i64 %".2", %".50"
  %".52" = getelementptr inbounds i64, ptr %".15", i64 %".51"
  %".53" = load i64, ptr %".52"
  %".54" = getelementptr inbounds i64, ptr %".13", i64 %".51"
  %".55" = load i64, ptr %".54"
  %".56" = load i64, i64* %".33"
  %".57" = sub i64 %".55", %".56"
  %".58" = icmp uge i64 %".57", 10000000
  br i1 %".58", label %"pick.body.if", label %"pick.body.endif", !prof !0
pick.after:
  %".184" = getelementptr inbounds i8, ptr %".1", i64 56
  store i64 %".2", ptr %".184"
  %".186" = getelementptr inbounds i8, ptr %".1", i64 64
  store i64 0, ptr %".186"
  br label %"leave.done"
pick.body.if:
  %".60" = sub i64 %".55", 0
  %".61" = srem i64 %".60", 10000000
  %".62" = icmp slt i64 %".61", 0
  %".63" = add i64 %".61", 10000000
  %".64" = select  i1 %".62", i64 %".63", i64 %".61"
  %".65" = sub i64 %".55", %".64"
  %".66" = getelementptr inbounds i8, ptr %"state", i64 8
  %"directory" = load ptr, ptr %".66"
  %".67" = getelementptr inbounds i8, ptr %"state", i64 16
  %"directory_mask" = load i64, ptr %".67"
  %".68" = getelementptr inbounds i8, ptr %"state", i64 24
  %"directory_shift" = load i64, ptr %".68"
  %".69" = mul i64 %".65", 11400714819323198485
  %".70" = lshr i64 %".69", %"directory_shift"
  br label %"slice.probe"
pick.body.endif:
  %".102" = getelementptr inbounds i64, ptr %".11", i64 %".51"
  %".103" = load i64, ptr %".102"
  %".104" = load ptr, ptr %".27"
  %".105" = mul i64 %".103", 11400714819323198485
  %".106" = load i64, i64* %".31"
  %".107" = lshr i64 %".105", %".106"
  %".108" = mul i64 %".107", 24
  %".109" = getelementptr inbounds i8, ptr %".104", i64 %".108"
  %".110" = load i64, ptr %".109"
  %".111" = or i64 3, 4
  %".112" = and i64 %".110", %".111"
  %".113" = or i64 1, 4
  %".114" = icmp eq i64 %".112", %".113"
  %".115" = getelementptr inbounds i8, ptr %".109", i64 8
  %".116" = load i64, ptr %".115"
  %".117" = icmp eq i64 %".116", %".103"
  %".118" = and i1 %".114", %".117"
  br i1 %".118", label %"group", label %"group.search", !prof !1
slice.probe:
  %".72" = phi  i64 [%".70", %"pick.body.if"], [%".87", %"slice.next"]
  %".73" = mul i64 %".72", 16
  %".74" = getelementptr inbounds i8, ptr %"directory", i64 %".73"
  %".75" = getelementptr inbounds i8, ptr %".74", i64 8
  %"table" = load ptr, ptr %".75"
  %".76" = icmp eq ptr %"table", null
  br i1 %".76", label %"slice.probe.if", label %"slice.probe.endif", !prof !0
slice.next:
  %".86" = add i64 %".72", 1
  %".87" = and i64 %".86", %"directory_mask"
  br label %"slice.probe"
slice.found:
  store ptr %"table", ptr %".25"
  %".90" = getelementptr inbounds i8, ptr %"table", i64 8
  %"slots.1" = load ptr, ptr %".90"
  store ptr %"slots.1", ptr %".27"
  %".92" = getelementptr inbounds i8, ptr %"table", i64 16
  %"mask.1" = load i64, ptr %".92"
  store i64 %"mask.1", i64* %".29"
  %".94" = getelementptr inbounds i8, ptr %"table", i64 24
  %"shift.1" = load i64, ptr %".94"
  store i64 %"shift.1", i64* %".31"
  %".96" = getelementptr inbounds i8, ptr %"table", i64 0
  %"slice_start.2" = load i64, ptr %".96"
  store i64 %"slice_start.2", i64* %".33"
  %".98" = load ptr, ptr %".25"
  %".99" = getelementptr inbounds i8, ptr %"state", i64 0
  store ptr %".98", ptr %".99"
  br label %"pick.body.endif"
slice.probe.if:
  %".78" = getelementptr inbounds i8, ptr %".1", i64 56
  store i64 %".51", ptr %".78"
  %".80" = getelementptr inbounds i8, ptr %".1", i64 64
  store i64 %".65", ptr %".80"
  br label %"leave.new_slice"
slice.probe.endif:
  %".83" = getelementptr inbounds i8, ptr %".74", i64 0
  %"slice_start.1" = load i64, ptr %".83"
  %".84" = icmp eq i64 %"slice_start.1", %".65"
  br i1 %".84", label %"slice.found", label %"slice.next"
leave.new_slice:
  %".189" = load i64, i64* %".19"
  %".190" = getelementptr inbounds i8, ptr %".1", i64 72
  store i64 %".189", ptr %".190"
  %".192" = load i64, i64* %".22"
  %".193" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".192", ptr %".193"
  ret i32 2
group.search:
  %".120" = load ptr, ptr %".27"
  %".121" = load i64, i64* %".29"
  br label %"group.probe"
group:
  %".165" = phi  ptr [%".109", %"pick.body.endif"], [%".125", %"group.found"]
  %".166" = getelementptr inbounds i8, ptr %".165", i64 16
  %".167" = load i64, ptr %".166"
  %".168" = call {i64, i1} @"llvm.sadd.with.overflow.i64"(i64 %".167", i64 %".53")
  %".169" = extractvalue {i64, i1} %".168", 0
  %".170" = extractvalue {i64, i1} %".168", 1
  br i1 %".170", label %"group.if", label %"group.endif", !prof !0
group.probe:
  %".123" = phi  i64 [%".107", %"group.search"], [%".140", %"group.step"]
  %".124" = mul i64 %".123", 24
  %".125" = getelementptr inbounds i8, ptr %".120", i64 %".124"
  %".126" = load i64, ptr %".125"
  %".127" = and i64 %".126", 3
  %".128" = icmp eq i64 %".127", 1
  %".129" = getelementptr inbounds i8, ptr %".125", i64 8
  %".130" = load i64, ptr %".129"
  %".131" = icmp eq i64 %".130", %".103"
  %".132" = and i1 %".128", %".131"
  br i1 %".132", label %"group.found", label %"group.miss", !prof !1
group.miss:
  %".134" = trunc i64 %".126" to i1
  br i1 %".134", label %"group.step", label %"group.insert"
group.step:
  %".136" = load i64, i64* %".22"
  %".137" = add i64 %".136", 1
  store i64 %".137", i64* %".22"
  %".139" = add i64 %".123", 1
  %".140" = and i64 %".139", %".121"
  br label %"group.probe"
group.insert:
  %".142" = load ptr, ptr %".25"
  %".143" = getelementptr inbounds i8, ptr %".142", i64 32
  %"count" = load i64, ptr %".143"
  %".144" = getelementptr inbounds i8, ptr %".142", i64 40
  %"limit" = load i64, ptr %".144"
  %".145" = icmp sge i64 %"count", %"limit"
  br i1 %".145", label %"group.insert.if", label %"group.insert.endif", !prof !0
group.found:
  %".161" = load i64, ptr %".125"
  %".162" = or i64 %".161", 4
  store i64 %".162", ptr %".125"
  br label %"group"
group.insert.if:
  %".147" = getelementptr inbounds i8, ptr %".1", i64 56
  store i64 %".51", ptr %".147"
  %".149" = getelementptr inbounds i8, ptr %".1", i64 64
  store i64 0, ptr %".149"
  br label %"leave.grow_table"
group.insert.endif:
  %".152" = add i64 %"count", 1
  %".153" = getelementptr inbounds i8, ptr %".142", i64 32
  store i64 %".152", ptr %".153"
  store i64 1, ptr %".125"
  %".156" = getelementptr inbounds i8, ptr %".125", i64 8
  store i64 %".103", ptr %".156"
  %".158" = getelementptr inbounds i8, ptr %".125", i64 16
  store i64 0, ptr %".158"
  br label %"group.found"
leave.grow_table:
  %".196" = load i64, i64* %".19"
  %".197" = getelementptr inbounds i8, ptr %".1", i64 72
  store i64 %".196", ptr %".197"
  %".199" = load i64, i64* %".22"
  %".200" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".199", ptr %".200"
  ret i32 1
group.if:
  %".172" = getelementptr inbounds i8, ptr %".1", i64 56
  store i64 %".51", ptr %".172"
  %".174" = getelementptr inbounds i8, ptr %".1", i64 64
  store i64 0, ptr %".174"
  br label %"leave.error"
group.endif:
  %".177" = getelementptr inbounds i8, ptr %".165", i64 16
  store i64 %".169", ptr %".177"
  %".179" = load i64, i64* %".19"
  %".180" = add i64 %".179", 1
  store i64 %".180", i64* %".19"
  %".182" = add nsw i64 %"pick", 1
  br label %"pick.head"
leave.error:
  %".203" = load i64, i64* %".19"
  %".204" = getelementptr inbounds i8, ptr %".1", i64 72
  store i64 %".203", ptr %".204"
  %".206" = load i64, i64* %".22"
  %".207" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".206", ptr %".207"
  ret i32 4
leave.done:
  %".210" = load i64, i64* %".19"
  %".211" = getelementptr inbounds i8, ptr %".1", i64 72
  store i64 %".210", ptr %".211"
  %".213" = load i64, i64* %".22"
  %".214" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".213", ptr %".214"
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
  %".18" = getelementptr inbounds i8, ptr %".1", i64 72
  %"rows_passed" = load i64, ptr %".18"
  %".19" = alloca i64
  store i64 %"rows_passed", i64* %".19"
  %".21" = getelementptr inbounds i8, ptr %".1", i64 80
  %"probes" = load i64, ptr %".21"
  %".22" = alloca i64
  store i64 %"probes", i64* %".22"
  %".24" = getelementptr inbounds i8, ptr %"state", i64 0
  %"current" = load ptr, ptr %".24"
  %".25" = alloca ptr
  store ptr %"current", ptr %".25"
  %".27" = alloca ptr
  store ptr null, ptr %".27"
  %".29" = alloca i64
  store i64 0, i64* %".29"
  %".31" = alloca i64
  store i64 0, i64* %".31"
  %".33" = alloca i64
  store i64 0, i64* %".33"
  store ptr %"current", ptr %".25"
  %".36" = getelementptr inbounds i8, ptr %"current", i64 8
  %"slots" = load ptr, ptr %".36"
  store ptr %"slots", ptr %".27"
  %".38" = getelementptr inbounds i8, ptr %"current", i64 16
  %"mask" = load i64, ptr %".38"
  store i64 %"mask", i64* %".29"
  %".40" = getelementptr inbounds i8, ptr %"current", i64 24
  %"shift" = load i64, ptr %".40"
  store i64 %"shift", i64* %".31"
  %".42" = getelementptr inbounds i8, ptr %"current", i64 0
  %"slice_start" = load i64, ptr %".42"
  store i64 %"slice_start", i64* %".33"
  %".44" = getelementptr inbounds i8, ptr %".1", i64 16
  %"selection" = load ptr, ptr %".44"
  br label %"pick.head"
pick.head:
  %"pick" = phi  i64 [0, %"entry"], [%".129", %"group.endif"]
  %".46" = icmp slt i64 %"pick", %".3"
  br i1 %".46", label %"pick.body", label %"pick.after"
pick.body:
  %".48" = getelementptr inbounds i32, ptr %"selection", i64 %"pick"
  %".49" = load i32, ptr %".48"
  %".50" = zext i32 %".49" to i64
  %".51" = add i64 %".2", %".50"
  %".52" = getelementptr inbounds i64, ptr %".15", i64 %".51"
  %".53" = load i64, ptr %".52"
  %".54" = getelementptr inbounds i64, ptr %".11", i64 %".51"
  %".55" = load i64, ptr %".54"
  %".56" = load ptr, ptr %".27"
  %".57" = mul i64 %".55", 11400714819323198485
  %".58" = load i64, i64* %".31"
  %".59" = lshr i64 %".57", %".58"
  %".60" = mul i64 %".59", 24
  %".61" = getelementptr inbounds i8, ptr %".56", i64 %".60"
  %".62" = getelementptr inbounds i8, ptr %".61", i64 8
  %".63" = load i64, ptr %".62"
  %".64" = icmp eq i64 %".63", %".55"
  %".65" = and i1 1, %".64"
  br i1 %".65", label %"group", label %"group.search", !prof !1
pick.after:
  %".131" = getelementptr inbounds i8, ptr %".1", i64 56
  store i64 %".2", ptr %".131"
  %".133" = getelementptr inbounds i8, ptr %".1", i64 64
  store i64 0, ptr %".133"
  br label %"leave.done"
group.search:
  %".67" = load ptr, ptr %".27"
  %".68" = load i64, i64* %".29"
  br label %"group.probe"
group:
  %".112" = phi  ptr [%".61", %"pick.body"], [%".72", %"group.found"]
  %".113" = getelementptr inbounds i8, ptr %".112", i64 16
  %".114" = load i64, ptr %".113"
  %".115" = call {i64, i1} @"llvm.sadd.with.overflow.i64"(i64 %".114", i64 %".53")
  %".116" = extractvalue {i64, i1} %".115", 0
  %".117" = extractvalue {i64, i1} %".115", 1
  br i1 %".117", label %"group.if", label %"group.endif", !prof !0
group.probe:
  %".70" = phi  i64 [%".59", %"group.search"], [%".87", %"group.step"]
  %".71" = mul i64 %".70", 24
  %".72" = getelementptr inbounds i8, ptr %".67", i64 %".71"
  %".73" = load i64, ptr %".72"
  %".74" = and i64 %".73", 3
  %".75" = icmp eq i64 %".74", 1
  %".76" = getelementptr inbounds i8, ptr %".72", i64 8
  %".77" = load i64, ptr %".76"
  %".78" = icmp eq i64 %".77", %".55"
  %".79" = and i1 %".75", %".78"
  br i1 %".79", label %"group.found", label %"group.miss", !prof !1
group.miss:
  %".81" = trunc i64 %".73" to i1
  br i1 %".81", label %"group.step", label %"group.insert"
group.step:
  %".83" = load i64, i64* %".22"
  %".84" = add i64 %".83", 1
  store i64 %".84", i64* %".22"
  %".86" = add i64 %".70", 1
  %".87" = and i64 %".86", %".68"
  br label %"group.probe"
group.insert:
  %".89" = load ptr, ptr %".25"
  %".90" = getelementptr inbounds i8, ptr %".89", i64 32
  %"count" = load i64, ptr %".90"
  %".91" = getelementptr inbounds i8, ptr %".89", i64 40
  %"limit" = load i64, ptr %".91"
  %".92" = icmp sge i64 %"count", %"limit"
  br i1 %".92", label %"group.insert.if", label %"group.insert.endif", !prof !0
group.found:
  %".108" = load i64, ptr %".72"
  %".109" = or i64 %".108", 4
  store i64 %".109", ptr %".72"
  br label %"group"
group.insert.if:
  %".94" = getelementptr inbounds i8, ptr %".1", i64 56
  store i64 %".51", ptr %".94"
  %".96" = getelementptr inbounds i8, ptr %".1", i64 64
  store i64 0, ptr %".96"
  br label %"leave.grow_table"
group.insert.endif:
  %".99" = add i64 %"count", 1
  %".100" = getelementptr inbounds i8, ptr %".89", i64 32
  store i64 %".99", ptr %".100"
  store i64 1, ptr %".72"
  %".103" = getelementptr inbounds i8, ptr %".72", i64 8
  store i64 %".55", ptr %".103"
  %".105" = getelementptr inbounds i8, ptr %".72", i64 16
  store i64 0, ptr %".105"
  br label %"group.found"
leave.grow_table:
  %".136" = load i64, i64* %".19"
  %".137" = getelementptr inbounds i8, ptr %".1", i64 72
  store i64 %".136", ptr %".137"
  %".139" = load i64, i64* %".22"
  %".140" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".139", ptr %".140"
  ret i32 1
group.if:
  %".119" = getelementptr inbounds i8, ptr %".1", i64 56
  store i64 %".51", ptr %".119"
  %".121" = getelementptr inbounds i8, ptr %".1", i64 64
  store i64 1, ptr %".121"
  br label %"leave.error"
group.endif:
  %".124" = getelementptr inbounds i8, ptr %".112", i64 16
  store i64 %".116", ptr %".124"
  %".126" = load i64, i64* %".19"
  %".127" = add i64 %".126", 1
  store i64 %".127", i64* %".19"
  %".129" = add nsw i64 %"pick", 1
  br label %"pick.head"
leave.error:
  %".143" = load i64, i64* %".19"
  %".144" = getelementptr inbounds i8, ptr %".1", i64 72
  store i64 %".143", ptr %".144"
  %".146" = load i64, i64* %".22"
  %".147" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".146", ptr %".147"
  ret i32 4
leave.done:
  %".150" = load i64, i64* %".19"
  %".151" = getelementptr inbounds i8, ptr %".1", i64 72
  store i64 %".150", ptr %".151"
  %".153" = load i64, i64* %".22"
  %".154" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".153", ptr %".154"
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