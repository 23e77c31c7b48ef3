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
  %".8" = getelementptr inbounds i32, ptr %".7", i64 %".2"
  %".9" = getelementptr inbounds i8, ptr %"columns", i64 32
  %".10" = load ptr, ptr %".9"
  %".11" = getelementptr inbounds i8, ptr %"columns", i64 40
  %".12" = load ptr, ptr %".11"
  %".13" = getelementptr inbounds i8, ptr %"columns", i64 48
  %".14" = load i64, ptr %".13"
  %".15" = getelementptr inbounds i8, ptr %"columns", i64 56
  %".16" = load ptr, ptr %".15"
  %".17" = getelementptr inbounds i64, ptr %".16", i64 %".2"
  %".18" = getelementptr inbounds i8, ptr %"columns", i64 112
  %".19" = load ptr, ptr %".18"
  %".20" = getelementptr inbounds i64, ptr %".19", i64 %".2"
  %".21" = getelementptr inbounds i8, ptr %"columns", i64 168
  %".22" = load ptr, ptr %".21"
  %".23" = getelementptr inbounds i64, ptr %".22", i64 %".2"
  %".24" = getelementptr inbounds i8, ptr %".1", i64 8
  %"lookups" = load ptr, ptr %".24"
  %".25" = getelementptr inbounds ptr, ptr %"lookups", i64 0
  %".26" = load ptr, ptr %".25"
  %".27" = getelementptr inbounds i8, ptr %".26", i64 8
  %".28" = load i32, ptr %".26"
  %".29" = getelementptr inbounds i8, ptr %".26", i64 4
  %".30" = load i32, ptr %".29"
  %".31" = getelementptr inbounds i8, ptr %".1", i64 48
  %"state" = load ptr, ptr %".31"
  %".32" = alloca i64
  store i64 0, i64* %".32"
  %".34" = alloca i64
  store i64 0, i64* %".34"
  %".36" = getelementptr inbounds i8, ptr %"state", i64 0
  %"current" = load ptr, ptr %".36"
  %".37" = alloca ptr
  store ptr %"current", ptr %".37"
  %".39" = alloca ptr
  store ptr null, ptr %".39"
  %".41" = alloca i64
  store i64 0, i64* %".41"
  %".43" = alloca i64
  store i64 0, i64* %".43"
  %".45" = alloca i64
  store i64 0, i64* %".45"
  store ptr %"current", ptr %".37"
  %".48" = getelementptr inbounds i8, ptr %"current", i64 8
  %"slots" = load ptr, ptr %".48"
  store ptr %"slots", ptr %".39"
  %".50" = getelementptr inbounds i8, ptr %"current", i64 16
  %"mask" = load i64, ptr %".50"
  store i64 %"mask", i64* %".41"
  %".52" = getelementptr inbounds i8, ptr %"current", i64 24
  %"shift" = load i64, ptr %".52"
  store i64 %"shift", i64* %".43"
  %".54" = getelementptr inbounds i8, ptr %"current", i64 0
  %"slice_start" = load i64, ptr %".54"
  store i64 %"slice_start", i64* %".45"
  %".56" = alloca i64
  store i64 0, i64* %".56"
  %".58" = getelementptr inbounds i8, ptr %".1", i64 16
  %"selection" = load ptr, ptr %".58"
  br label %"pick.head"
pick.head:
  %"pick" = phi  i64 [0, %"entry"], [%".194", %"group.endif"]
  %".60" = icmp slt i64 %"pick", %".3"
  br i1 %".60", label %"pick.body", label %"pick.after"
pick.body:
  store i64 %"pick", i64* %".32"
  %".63" = getelementptr inbounds i32, ptr %"selection", i64 %"pick"
  %".64" = load i32, ptr %".63"
  %".65" = zext i32 %".64" to i64
  %".66" = add i64 %".2", %".65"
  %".67" = getelementptr inbounds i64, ptr %".20", i64 %".65"
  %".68" = load i64, ptr %".67"
  %".69" = load i64, i64* %".45"
  %".70" = sub i64 %".68", %".69"
  %".71" = icmp uge i64 %".70", 10000000
  br i1 %".71", label %"pick.body.if", label %"pick.body.endif", !prof !0
pick.after:
  store i64 %".3", i64* %".32"
  %".197" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".2", ptr %".197"
  %".199" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 0, ptr %".199"
  br label %"leave.done"
pick.body.if:
  %".73" = sub i64 %".68", 0
  %".74" = srem i64 %".73", 10000000
  %".75" = icmp slt i64 %".74", 0
  %".76" = add i64 %".74", 10000000
  %".77" = select  i1 %".75", i64 %".76", i64 %".74"
  %".78" = sub i64 %".68", %".77"
  %".79" = getelementptr inbounds i8, ptr %"state", i64 8
  %"directory" = load ptr, ptr %".79"
  %".80" = getelementptr inbounds i8, ptr %"state", i64 16
  %"directory_mask" = load i64, ptr %".80"
  %".81" = getelementptr inbounds i8, ptr %"state", i64 24
  %"directory_shift" = load i64, ptr %".81"
  %".82" = mul i64 %".78", 11400714819323198485
  %".83" = lshr i64 %".82", %"directory_shift"
  br label %"slice.probe"
pick.body.endif:
  %".115" = getelementptr inbounds i64, ptr %".23", i64 %".65"
  %".116" = load i64, ptr %".115"
  %".117" = getelementptr inbounds i64, ptr %".17", i64 %".65"
  %".118" = load i64, ptr %".117"
  %".119" = load ptr, ptr %".39"
  %".120" = mul i64 %".118", 11400714819323198485
  %".121" = load i64, i64* %".43"
  %".122" = lshr i64 %".120", %".121"
  %".123" = mul i64 %".122", 24
  %".124" = getelementptr inbounds i8, ptr %".119", i64 %".123"
  %".125" = load i64, ptr %".124"
  %".126" = or i64 3, 4
  %".127" = and i64 %".125", %".126"
  %".128" = or i64 1, 4
  %".129" = icmp eq i64 %".127", %".128"
  %".130" = getelementptr inbounds i8, ptr %".124", i64 8
  %".131" = load i64, ptr %".130"
  %".132" = icmp eq i64 %".131", %".118"
  %".133" = and i1 %".129", %".132"
  br i1 %".133", label %"group", label %"group.search", !prof !1
slice.probe:
  %".85" = phi  i64 [%".83", %"pick.body.if"], [%".100", %"slice.next"]
  %".86" = mul i64 %".85", 16
  %".87" = getelementptr inbounds i8, ptr %"directory", i64 %".86"
  %".88" = getelementptr inbounds i8, ptr %".87", i64 8
  %"table" = load ptr, ptr %".88"
  %".89" = icmp eq ptr %"table", null
  br i1 %".89", label %"slice.probe.if", label %"slice.probe.endif", !prof !0
slice.next:
  %".99" = add i64 %".85", 1
  %".100" = and i64 %".99", %"directory_mask"
  br label %"slice.probe"
slice.found:
  store ptr %"table", ptr %".37"
  %".103" = getelementptr inbounds i8, ptr %"table", i64 8
  %"slots.1" = load ptr, ptr %".103"
  store ptr %"slots.1", ptr %".39"
  %".105" = getelementptr inbounds i8, ptr %"table", i64 16
  %"mask.1" = load i64, ptr %".105"
  store i64 %"mask.1", i64* %".41"
  %".107" = getelementptr inbounds i8, ptr %"table", i64 24
  %"shift.1" = load i64, ptr %".107"
  store i64 %"shift.1", i64* %".43"
  %".109" = getelementptr inbounds i8, ptr %"table", i64 0
  %"slice_start.2" = load i64, ptr %".109"
  store i64 %"slice_start.2", i64* %".45"
  %".111" = load ptr, ptr %".37"
  %".112" = getelementptr inbounds i8, ptr %"state", i64 0
  store ptr %".111", ptr %".112"
  br label %"pick.body.endif"
slice.probe.if:
  %".91" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".66", ptr %".91"
  %".93" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 %".78", ptr %".93"
  br label %"leave.new_slice"
slice.probe.endif:
  %".96" = getelementptr inbounds i8, ptr %".87", i64 0
  %"slice_start.1" = load i64, ptr %".96"
  %".97" = icmp eq i64 %"slice_start.1", %".78"
  br i1 %".97", label %"slice.found", label %"slice.next"
leave.new_slice:
  %".202" = getelementptr inbounds i8, ptr %".1", i64 96
  %"rows_passed" = load i64, ptr %".202"
  %".203" = load i64, i64* %".32"
  %".204" = add i64 %"rows_passed", %".203"
  %".205" = getelementptr inbounds i8, ptr %".1", i64 96
  store i64 %".204", ptr %".205"
  %".207" = getelementptr inbounds i8, ptr %".1", i64 104
  %"probes" = load i64, ptr %".207"
  %".208" = load i64, i64* %".34"
  %".209" = add i64 %"probes", %".208"
  %".210" = getelementptr inbounds i8, ptr %".1", i64 104
  store i64 %".209", ptr %".210"
  ret i32 2
group.search:
  %".135" = load ptr, ptr %".39"
  %".136" = load i64, i64* %".41"
  br label %"group.probe"
group:
  %".180" = phi  ptr [%".124", %"pick.body.endif"], [%".140", %"group.found"]
  %".181" = getelementptr inbounds i8, ptr %".180", i64 16
  %".182" = load i64, ptr %".181"
  %".183" = call {i64, i1} @"llvm.sadd.with.overflow.i64"(i64 %".182", i64 %".116")
  %".184" = extractvalue {i64, i1} %".183", 0
  %".185" = extractvalue {i64, i1} %".183", 1
  br i1 %".185", label %"group.if", label %"group.endif", !prof !0
group.probe:
  %".138" = phi  i64 [%".122", %"group.search"], [%".155", %"group.step"]
  %".139" = mul i64 %".138", 24
  %".140" = getelementptr inbounds i8, ptr %".135", i64 %".139"
  %".141" = load i64, ptr %".140"
  %".142" = and i64 %".141", 3
  %".143" = icmp eq i64 %".142", 1
  %".144" = getelementptr inbounds i8, ptr %".140", i64 8
  %".145" = load i64, ptr %".144"
  %".146" = icmp eq i64 %".145", %".118"
  %".147" = and i1 %".143", %".146"
  br i1 %".147", label %"group.found", label %"group.miss", !prof !1
group.miss:
  %".149" = trunc i64 %".141" to i1
  br i1 %".149", label %"group.step", label %"group.insert"
group.step:
  %".151" = load i64, i64* %".34"
  %".152" = add i64 %".151", 1
  store i64 %".152", i64* %".34"
  %".154" = add i64 %".138", 1
  %".155" = and i64 %".154", %".136"
  br label %"group.probe"
group.insert:
  %".157" = load ptr, ptr %".37"
  %".158" = getelementptr inbounds i8, ptr %".157", i64 32
  %"count" = load i64, ptr %".158"
  %".159" = getelementptr inbounds i8, ptr %".157", i64 40
  %"limit" = load i64, ptr %".159"
  %".160" = icmp sge i64 %"count", %"limit"
  br i1 %".160", label %"group.insert.if", label %"group.insert.endif", !prof !0
group.found:
  %".176" = load i64, ptr %".140"
  %".177" = or i64 %".176", 4
  store i64 %".177", ptr %".140"
  br label %"group"
group.insert.if:
  %".162" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".66", ptr %".162"
  %".164" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 0, ptr %".164"
  br label %"leave.grow_table"
group.insert.endif:
  %".167" = add i64 %"count", 1
  %".168" = getelementptr inbounds i8, ptr %".157", i64 32
  store i64 %".167", ptr %".168"
  %".170" = getelementptr inbounds i8, ptr %".140", i64 8
  store i64 %".118", ptr %".170"
  %".172" = getelementptr inbounds i8, ptr %".140", i64 16
  store i64 0, ptr %".172"
  store i64 1, ptr %".140"
  br label %"group.found"
leave.grow_table:
  %".213" = getelementptr inbounds i8, ptr %".1", i64 96
  %"rows_passed.1" = load i64, ptr %".213"
  %".214" = load i64, i64* %".32"
  %".215" = add i64 %"rows_passed.1", %".214"
  %".216" = getelementptr inbounds i8, ptr %".1", i64 96
  store i64 %".215", ptr %".216"
  %".218" = getelementptr inbounds i8, ptr %".1", i64 104
  %"probes.1" = load i64, ptr %".218"
  %".219" = load i64, i64* %".34"
  %".220" = add i64 %"probes.1", %".219"
  %".221" = getelementptr inbounds i8, ptr %".1", i64 104
  store i64 %".220", ptr %".221"
  ret i32 1
group.if:
  %".187" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".66", ptr %".187"
  %".189" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 0, ptr %".189"
  br label %"leave.spill"
group.endif:
  %".192" = getelementptr inbounds i8, ptr %".180", i64 16
  store i64 %".184", ptr %".192"
  %".194" = add nsw i64 %"pick", 1
  br label %"pick.head"
leave.spill:
  %".224" = getelementptr inbounds i8, ptr %".1", i64 96
  %"rows_passed.2" = load i64, ptr %".224"
  %".225" = load i64, i64* %".32"
  %".226" = add i64 %"rows_passed.2", %".225"
  %".227" = getelementptr inbounds i8, ptr %".1", i64 96
  store i64 %".226", ptr %".227"
  %".229" = getelementptr inbounds i8, ptr %".1", i64 104
  %"probes.2" = load i64, ptr %".229"
  %".230" = load i64, i64* %".34"
  %".231" = add i64 %"probes.2", %".230"
  %".232" = getelementptr inbounds i8, ptr %".1", i64 104
  store i64 %".231", ptr %".232"
  ret i32 6
leave.done:
  %".235" = getelementptr inbounds i8, ptr %".1", i64 96
  %"rows_passed.3" = load i64, ptr %".235"
  %".236" = load i64, i64* %".32"
  %".237" = add i64 %"rows_passed.3", %".236"
  %".238" = getelementptr inbounds i8, ptr %".1", i64 96
  store i64 %".237", ptr %".238"
  %".240" = getelementptr inbounds i8, ptr %".1", i64 104
  %"probes.3" = load i64, ptr %".240"
  %".241" = load i64, i64* %".34"
  %".242" = add i64 %"probes.3", %".241"
  %".243" = getelementptr inbounds i8, ptr %".1", i64 104
  store i64 %".242", ptr %".243"
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
  %".8" = getelementptr inbounds i32, ptr %".7", i64 %".2"
  %".9" = getelementptr inbounds i8, ptr %"columns", i64 32
  %".10" = load ptr, ptr %".9"
  %".11" = getelementptr inbounds i8, ptr %"columns", i64 40
  %".12" = load ptr, ptr %".11"
  %".13" = getelementptr inbounds i8, ptr %"columns", i64 48
  %".14" = load i64, ptr %".13"
  %".15" = getelementptr inbounds i8, ptr %"columns", i64 56
  %".16" = load ptr, ptr %".15"
  %".17" = getelementptr inbounds i64, ptr %".16", i64 %".2"
  %".18" = getelementptr inbounds i8, ptr %"columns", i64 112
  %".19" = load ptr, ptr %".18"
  %".20" = getelementptr inbounds i64, ptr %".19", i64 %".2"
  %".21" = getelementptr inbounds i8, ptr %"columns", i64 168
  %".22" = load ptr, ptr %".21"
  %".23" = getelementptr inbounds i64, ptr %".22", i64 %".2"
  %".24" = getelementptr inbounds i8, ptr %".1", i64 8
  %"lookups" = load ptr, ptr %".24"
  %".25" = getelementptr inbounds ptr, ptr %"lookups", i64 0
  %".26" = load ptr, ptr %".25"
  %".27" = getelementptr inbounds i8, ptr %".26", i64 8
  %".28" = load i32, ptr %".26"
  %".29" = getelementptr inbounds i8, ptr %".26", i64 4
  %".30" = load i32, ptr %".29"
  %".31" = getelementptr inbounds i8, ptr %".1", i64 48
  %"state" = load ptr, ptr %".31"
  %".32" = alloca i64
  store i64 0, i64* %".32"
  %".34" = alloca i64
  store i64 0, i64* %".34"
  %".36" = getelementptr inbounds i8, ptr %"state", i64 0
  %"current" = load ptr, ptr %".36"
  %".37" = alloca ptr
  store ptr %"current", ptr %".37"
  %".39" = alloca ptr
  store ptr null, ptr %".39"
  %".41" = alloca i64
  store i64 0, i64* %".41"
  %".43" = alloca i64
  store i64 0, i64* %".43"
  %".45" = alloca i64
  store i64 0, i64* %".45"
  store ptr %"current", ptr %".37"
  %".48" = getelementptr inbounds i8, ptr %"current", i64 8
  %"slots" = load ptr, ptr %".48"
  store ptr %"slots", ptr %".39"
  %".50" = getelementptr inbounds i8, ptr %"current", i64 16
  %"mask" = load i64, ptr %".50"
  store i64 %"mask", i64* %".41"
  %".52" = getelementptr inbounds i8, ptr %"current", i64 24
  %"shift" = load i64, ptr %".52"
  store i64 %"shift", i64* %".43"
  %".54" = getelementptr inbounds i8, ptr %"current", i64 0
  %"slice_start" = load i64, ptr %".54"
  store i64 %"slice_start", i64* %".45"
  %".56" = alloca i64
  store i64 0, i64* %".56"
  %".58" = getelementptr inbounds i8, ptr %".1", i64 16
  %"selection" = load ptr, ptr %".58"
  br label %"pick.head"
pick.head:
  %"pick" = phi  i64 [0, %"entry"], [%".141", %"group.endif"]
  %".60" = icmp slt i64 %"pick", %".3"
  br i1 %".60", label %"pick.body", label %"pick.after"
pick.body:
  store i64 %"pick", i64* %".32"
  %".63" = getelementptr inbounds i32, ptr %"selection", i64 %"pick"
  %".64" = load i32, ptr %".63"
  %".65" = zext i32 %".64" to i64
  %".66" = add i64 %".2", %".65"
  %".67" = getelementptr inbounds i64, ptr %".23", i64 %".65"
  %".68" = load i64, ptr %".67"
  %".69" = getelementptr inbounds i64, ptr %".17", i64 %".65"
  %".70" = load i64, ptr %".69"
  %".71" = load ptr, ptr %".39"
  %".72" = mul i64 %".70", 11400714819323198485
  %".73" = load i64, i64* %".43"
  %".74" = lshr i64 %".72", %".73"
  %".75" = mul i64 %".74", 24
  %".76" = getelementptr inbounds i8, ptr %".71", i64 %".75"
  %".77" = getelementptr inbounds i8, ptr %".76", i64 8
  %".78" = load i64, ptr %".77"
  %".79" = icmp eq i64 %".78", %".70"
  %".80" = and i1 1, %".79"
  br i1 %".80", label %"group", label %"group.search", !prof !1
pick.after:
  store i64 %".3", i64* %".32"
  %".144" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".2", ptr %".144"
  %".146" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 0, ptr %".146"
  br label %"leave.done"
group.search:
  %".82" = load ptr, ptr %".39"
  %".83" = load i64, i64* %".41"
  br label %"group.probe"
group:
  %".127" = phi  ptr [%".76", %"pick.body"], [%".87", %"group.found"]
  %".128" = getelementptr inbounds i8, ptr %".127", i64 16
  %".129" = load i64, ptr %".128"
  %".130" = call {i64, i1} @"llvm.sadd.with.overflow.i64"(i64 %".129", i64 %".68")
  %".131" = extractvalue {i64, i1} %".130", 0
  %".132" = extractvalue {i64, i1} %".130", 1
  br i1 %".132", label %"group.if", label %"group.endif", !prof !0
group.probe:
  %".85" = phi  i64 [%".74", %"group.search"], [%".102", %"group.step"]
  %".86" = mul i64 %".85", 24
  %".87" = getelementptr inbounds i8, ptr %".82", i64 %".86"
  %".88" = load i64, ptr %".87"
  %".89" = and i64 %".88", 3
  %".90" = icmp eq i64 %".89", 1
  %".91" = getelementptr inbounds i8, ptr %".87", i64 8
  %".92" = load i64, ptr %".91"
  %".93" = icmp eq i64 %".92", %".70"
  %".94" = and i1 %".90", %".93"
  br i1 %".94", label %"group.found", label %"group.miss", !prof !1
group.miss:
  %".96" = trunc i64 %".88" to i1
  br i1 %".96", label %"group.step", label %"group.insert"
group.step:
  %".98" = load i64, i64* %".34"
  %".99" = add i64 %".98", 1
  store i64 %".99", i64* %".34"
  %".101" = add i64 %".85", 1
  %".102" = and i64 %".101", %".83"
  br label %"group.probe"
group.insert:
  %".104" = load ptr, ptr %".37"
  %".105" = getelementptr inbounds i8, ptr %".104", i64 32
  %"count" = load i64, ptr %".105"
  %".106" = getelementptr inbounds i8, ptr %".104", i64 40
  %"limit" = load i64, ptr %".106"
  %".107" = icmp sge i64 %"count", %"limit"
  br i1 %".107", label %"group.insert.if", label %"group.insert.endif", !prof !0
group.found:
  %".123" = load i64, ptr %".87"
  %".124" = or i64 %".123", 4
  store i64 %".124", ptr %".87"
  br label %"group"
group.insert.if:
  %".109" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".66", ptr %".109"
  %".111" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 0, ptr %".111"
  br label %"leave.grow_table"
group.insert.endif:
  %".114" = add i64 %"count", 1
  %".115" = getelementptr inbounds i8, ptr %".104", i64 32
  store i64 %".114", ptr %".115"
  %".117" = getelementptr inbounds i8, ptr %".87", i64 8
  store i64 %".70", ptr %".117"
  %".119" = getelementptr inbounds i8, ptr %".87", i64 16
  store i64 0, ptr %".119"
  store i64 1, ptr %".87"
  br label %"group.found"
leave.grow_table:
  %".149" = getelementptr inbounds i8, ptr %".1", i64 96
  %"rows_passed" = load i64, ptr %".149"
  %".150" = load i64, i64* %".32"
  %".151" = add i64 %"rows_passed", %".150"
  %".152" = getelementptr inbounds i8, ptr %".1", i64 96
  store i64 %".151", ptr %".152"
  %".154" = getelementptr inbounds i8, ptr %".1", i64 104
  %"probes" = load i64, ptr %".154"
  %".155" = load i64, i64* %".34"
  %".156" = add i64 %"probes", %".155"
  %".157" = getelementptr inbounds i8, ptr %".1", i64 104
  store i64 %".156", ptr %".157"
  ret i32 1
group.if:
  %".134" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".66", ptr %".134"
  %".136" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 0, ptr %".136"
  br label %"leave.spill"
group.endif:
  %".139" = getelementptr inbounds i8, ptr %".127", i64 16
  store i64 %".131", ptr %".139"
  %".141" = add nsw i64 %"pick", 1
  br label %"pick.head"
leave.spill:
  %".160" = getelementptr inbounds i8, ptr %".1", i64 96
  %"rows_passed.1" = load i64, ptr %".160"
  %".161" = load i64, i64* %".32"
  %".162" = add i64 %"rows_passed.1", %".161"
  %".163" = getelementptr inbounds i8, ptr %".1", i64 96
  store i64 %".162", ptr %".163"
  %".165" = getelementptr inbounds i8, ptr %".1", i64 104
  %"probes.1" = load i64, ptr %".165"
  %".166" = load i64, i64* %".34"
  %".167" = add i64 %"probes.1", %".166"
  %".168" = getelementptr inbounds i8, ptr %".1", i64 104
  store i64 %".167", ptr %".168"
  ret i32 6
leave.done:
  %".171" = getelementptr inbounds i8, ptr %".1", i64 96
  %"rows_passed.2" = load i64, ptr %".171"
  %".172" = load i64, i64* %".32"
  %".173" = add i64 %"rows_passed.2", %".172"
  %".174" = getelementptr inbounds i8, ptr %".1", i64 96
  store i64 %".173", ptr %".174"
  %".176" = getelementptr inbounds i8, ptr %".1", i64 104
  %"probes.2" = load i64, ptr %".176"
  %".177" = load i64, i64* %".34"
  %".178" = add i64 %"probes.2", %".177"
  %".179" = getelementptr inbounds i8, ptr %".1", i64 104
  store i64 %".178", ptr %".179"
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
  %".27" = getelementptr inbounds i8, ptr %".1", i64 64
  %"row_begin" = load i64, ptr %".27"
  %".28" = getelementptr inbounds i8, ptr %".1", i64 72
  %"row_end" = load i64, ptr %".28"
  %".29" = sub i64 %"row_end", %"row_begin"
  %".30" = add i64 %".29", 16383
  %".31" = udiv i64 %".30", 16384
  %".81" = alloca i64
  %".110" = alloca i1
  %".113" = alloca i64
  br label %"block.head"
block.head:
  %"block" = phi  i64 [0, %"entry"], [%".144", %"pack.after.endif.endif"]
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
  %".146" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %"row_end", ptr %".146"
  %".148" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 0, ptr %".148"
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
  %".98" = getelementptr inbounds i8, ptr %".1", i64 48
  %"state" = load ptr, ptr %".98"
  %".99" = getelementptr inbounds i8, ptr %"state", i64 0
  %"current" = load ptr, ptr %".99"
  %".100" = getelementptr inbounds i8, ptr %"current", i64 48
  %"complete" = load i64, ptr %".100"
  %".101" = icmp ne i64 %"complete", 0
  %".102" = shl i64 %".97", 2
  %".103" = sub i64 %".39", %".36"
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
  br i1 %".106", label %"pack.after.if", label %"pack.after.endif"
pack.after.if:
  store i64 0, i64* %".113"
  br label %"time.head"
pack.after.endif:
  %".130" = load i1, i1* %".110"
  %".131" = or i1 %".130", 0
  %".132" = and i1 %".101", %".131"
  br i1 %".132", label %"pack.after.endif.if", label %"pack.after.endif.else"
time.head:
  %"time" = phi  i64 [%".36", %"pack.after.if"], [%".124", %"time.body"]
  %".116" = icmp slt i64 %"time", %".39"
  br i1 %".116", label %"time.body", label %"time.after"
time.body:
  %".118" = getelementptr inbounds i64, ptr %".15", i64 %"time"
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
  br label %"pack.after.endif"
pack.after.endif.if:
  %".134" = call i32 @"fast"(ptr %".1", i64 %".36", i64 %".97")
  %".135" = icmp ne i32 %".134", 0
  br i1 %".135", label %"pack.after.endif.if.if", label %"pack.after.endif.if.endif", !prof !0
pack.after.endif.else:
  %".139" = call i32 @"general"(ptr %".1", i64 %".36", i64 %".97")
  %".140" = icmp ne i32 %".139", 0
  br i1 %".140", label %"pack.after.endif.else.if", label %"pack.after.endif.else.endif", !prof !0
pack.after.endif.endif:
  %".144" = add nsw i64 %"block", 1
  br label %"block.head"
pack.after.endif.if.if:
  ret i32 %".134"
pack.after.endif.if.endif:
  br label %"pack.after.endif.endif"
pack.after.endif.else.if:
  ret i32 %".139"
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
  br label %"leave.done"
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
leave.done:
  ret i32 0
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