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
  %"pick" = phi  i64 [0, %"entry"], [%".200", %"group.endif"]
  %".60" = icmp slt i64 %"pick", %".3"
  br i1 %".60", label %"pick.body", label %"pick.after"
pick.body:
  store i64 %"pick", i64* %".32"
  %".63" = getelementptr inbounds i32, ptr %"selection", i64 %"pick"
  %".64" = load i32, ptr %".63"
  %".65" = zext i32 %".64" to i64
  %".66" = getelementptr inbounds i64, ptr %".17", i64 %".65"
  %".67" = getelementptr i8, ptr %".66", i64 8192
  call void @"llvm.prefetch.p0"(ptr %".67", i32 0, i32 0, i32 1)
  %".69" = getelementptr inbounds i64, ptr %".23", i64 %".65"
  %".70" = getelementptr i8, ptr %".69", i64 8192
  call void @"llvm.prefetch.p0"(ptr %".70", i32 0, i32 0, i32 1)
  %".72" = add i64 %".2", %".65"
  %".73" = getelementptr inbounds i64, ptr %".20", i64 %".65"
  %".74" = load i64, ptr %".73"
  %".75" = load i64, i64* %".45"
  %".76" = sub i64 %".74", %".75"
  %".77" = icmp uge i64 %".76", 10000000
  br i1 %".77", label %"pick.body.if", label %"pick.body.endif", !prof !0
pick.after:
  store i64 %".3", i64* %".32"
  %".203" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".2", ptr %".203"
  %".205" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 0, ptr %".205"
  br label %"leave.done"
pick.body.if:
  %".79" = sub i64 %".74", 0
  %".80" = srem i64 %".79", 10000000
  %".81" = icmp slt i64 %".80", 0
  %".82" = add i64 %".80", 10000000
  %".83" = select  i1 %".81", i64 %".82", i64 %".80"
  %".84" = sub i64 %".74", %".83"
  %".85" = getelementptr inbounds i8, ptr %"state", i64 8
  %"directory" = load ptr, ptr %".85"
  %".86" = getelementptr inbounds i8, ptr %"state", i64 16
  %"directory_mask" = load i64, ptr %".86"
  %".87" = getelementptr inbounds i8, ptr %"state", i64 24
  %"directory_shift" = load i64, ptr %".87"
  %".88" = mul i64 %".84", 11400714819323198485
  %".89" = lshr i64 %".88", %"directory_shift"
  br label %"slice.probe"
pick.body.endif:
  %".121" = getelementptr inbounds i64, ptr %".23", i64 %".65"
  %".122" = load i64, ptr %".121"
  %".123" = getelementptr inbounds i64, ptr %".17", i64 %".65"
  %".124" = load i64, ptr %".123"
  %".125" = load ptr, ptr %".39"
  %".126" = mul i64 %".124", 11400714819323198485
  %".127" = load i64, i64* %".43"
  %".128" = lshr i64 %".126", %".127"
  %".129" = mul i64 %".128", 24
  %".130" = getelementptr inbounds i8, ptr %".125", i64 %".129"
  %".131" = load i64, ptr %".130"
  %".132" = or i64 3, 4
  %".133" = and i64 %".131", %".132"
  %".134" = or i64 1, 4
  %".135" = icmp eq i64 %".133", %".134"
  %".136" = getelementptr inbounds i8, ptr %".130", i64 8
  %".137" = load i64, ptr %".136"
  %".138" = icmp eq i64 %".137", %".124"
  %".139" = and i1 %".135", %".138"
  br i1 %".139", label %"group", label %"group.search", !prof !1
slice.probe:
  %".91" = phi  i64 [%".89", %"pick.body.if"], [%".106", %"slice.next"]
  %".92" = mul i64 %".91", 16
  %".93" = getelementptr inbounds i8, ptr %"directory", i64 %".92"
  %".94" = getelementptr inbounds i8, ptr %".93", i64 8
  %"table" = load ptr, ptr %".94"
  %".95" = icmp eq ptr %"table", null
  br i1 %".95", label %"slice.probe.if", label %"slice.probe.endif", !prof !0
slice.next:
  %".105" = add i64 %".91", 1
  %".106" = and i64 %".105", %"directory_mask"
  br label %"slice.probe"
slice.found:
  store ptr %"table", ptr %".37"
  %".109" = getelementptr inbounds i8, ptr %"table", i64 8
  %"slots.1" = load ptr, ptr %".109"
  store ptr %"slots.1", ptr %".39"
  %".111" = getelementptr inbounds i8, ptr %"table", i64 16
  %"mask.1" = load i64, ptr %".111"
  store i64 %"mask.1", i64* %".41"
  %".113" = getelementptr inbounds i8, ptr %"table", i64 24
  %"shift.1" = load i64, ptr %".113"
  store i64 %"shift.1", i64* %".43"
  %".115" = getelementptr inbounds i8, ptr %"table", i64 0
  %"slice_start.2" = load i64, ptr %".115"
  store i64 %"slice_start.2", i64* %".45"
  %".117" = load ptr, ptr %".37"
  %".118" = getelementptr inbounds i8, ptr %"state", i64 0
  store ptr %".117", ptr %".118"
  br label %"pick.body.endif"
slice.probe.if:
  %".97" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".72", ptr %".97"
  %".99" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 %".84", ptr %".99"
  br label %"leave.new_slice"
slice.probe.endif:
  %".102" = getelementptr inbounds i8, ptr %".93", i64 0
  %"slice_start.1" = load i64, ptr %".102"
  %".103" = icmp eq i64 %"slice_start.1", %".84"
  br i1 %".103", label %"slice.found", label %"slice.next"
leave.new_slice:
  %".208" = getelementptr inbounds i8, ptr %".1", i64 96
  %"rows_passed" = load i64, ptr %".208"
  %".209" = load i64, i64* %".32"
  %".210" = add i64 %"rows_passed", %".209"
  %".211" = getelementptr inbounds i8, ptr %".1", i64 96
  store i64 %".210", ptr %".211"
  %".213" = getelementptr inbounds i8, ptr %".1", i64 104
  %"probes" = load i64, ptr %".213"
  %".214" = load i64, i64* %".34"
  %".215" = add i64 %"probes", %".214"
  %".216" = getelementptr inbounds i8, ptr %".1", i64 104
  store i64 %".215", ptr %".216"
  ret i32 2
group.search:
  %".141" = load ptr, ptr %".39"
  %".142" = load i64, i64* %".41"
  br label %"group.probe"
group:
  %".186" = phi  ptr [%".130", %"pick.body.endif"], [%".146", %"group.found"]
  %".187" = getelementptr inbounds i8, ptr %".186", i64 16
  %".188" = load i64, ptr %".187"
  %".189" = call {i64, i1} @"llvm.sadd.with.overflow.i64"(i64 %".188", i64 %".122")
  %".190" = extractvalue {i64, i1} %".189", 0
  %".191" = extractvalue {i64, i1} %".189", 1
  br i1 %".191", label %"group.if", label %"group.endif", !prof !0
group.probe:
  %".144" = phi  i64 [%".128", %"group.search"], [%".161", %"group.step"]
  %".145" = mul i64 %".144", 24
  %".146" = getelementptr inbounds i8, ptr %".141", i64 %".145"
  %".147" = load i64, ptr %".146"
  %".148" = and i64 %".147", 3
  %".149" = icmp eq i64 %".148", 1
  %".150" = getelementptr inbounds i8, ptr %".146", i64 8
  %".151" = load i64, ptr %".150"
  %".152" = icmp eq i64 %".151", %".124"
  %".153" = and i1 %".149", %".152"
  br i1 %".153", label %"group.found", label %"group.miss", !prof !1
group.miss:
  %".155" = trunc i64 %".147" to i1
  br i1 %".155", label %"group.step", label %"group.insert"
group.step:
  %".157" = load i64, i64* %".34"
  %".158" = add i64 %".157", 1
  store i64 %".158", i64* %".34"
  %".160" = add i64 %".144", 1
  %".161" = and i64 %".160", %".142"
  br label %"group.probe"
group.insert:
  %".163" = load ptr, ptr %".37"
  %".164" = getelementptr inbounds i8, ptr %".163", i64 32
  %"count" = load i64, ptr %".164"
  %".165" = getelementptr inbounds i8, ptr %".163", i64 40
  %"limit" = load i64, ptr %".165"
  %".166" = icmp sge i64 %"count", %"limit"
  br i1 %".166", label %"group.insert.if", label %"group.insert.endif", !prof !0
group.found:
  %".182" = load i64, ptr %".146"
  %".183" = or i64 %".182", 4
  store i64 %".183", ptr %".146"
  br label %"group"
group.insert.if:
  %".168" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".72", ptr %".168"
  %".170" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 0, ptr %".170"
  br label %"leave.grow_table"
group.insert.endif:
  %".173" = add i64 %"count", 1
  %".174" = getelementptr inbounds i8, ptr %".163", i64 32
  store i64 %".173", ptr %".174"
  %".176" = getelementptr inbounds i8, ptr %".146", i64 8
  store i64 %".124", ptr %".176"
  %".178" = getelementptr inbounds i8, ptr %".146", i64 16
  store i64 0, ptr %".178"
  store i64 1, ptr %".146"
  br label %"group.found"
leave.grow_table:
  %".219" = getelementptr inbounds i8, ptr %".1", i64 96
  %"rows_passed.1" = load i64, ptr %".219"
  %".220" = load i64, i64* %".32"
  %".221" = add i64 %"rows_passed.1", %".220"
  %".222" = getelementptr inbounds i8, ptr %".1", i64 96
  store i64 %".221", ptr %".222"
  %".224" = getelementptr inbounds i8, ptr %".1", i64 104
  %"probes.1" = load i64, ptr %".224"
  %".225" = load i64, i64* %".34"
  %".226" = add i64 %"probes.1", %".225"
  %".227" = getelementptr inbounds i8, ptr %".1", i64 104
  store i64 %".226", ptr %".227"
  ret i32 1
group.if:
  %".193" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".72", ptr %".193"
  %".195" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 0, ptr %".195"
  br label %"leave.spill"
group.endif:
  %".198" = getelementptr inbounds i8, ptr %".186", i64 16
  store i64 %".190", ptr %".198"
  %".200" = add nsw i64 %"pick", 1
  br label %"pick.head"
leave.spill:
  %".230" = getelementptr inbounds i8, ptr %".1", i64 96
  %"rows_passed.2" = load i64, ptr %".230"
  %".231" = load i64, i64* %".32"
  %".232" = add i64 %"rows_passed.2", %".231"
  %".233" = getelementptr inbounds i8, ptr %".1", i64 96
  store i64 %".232", ptr %".233"
  %".235" = getelementptr inbounds i8, ptr %".1", i64 104
  %"probes.2" = load i64, ptr %".235"
  %".236" = load i64, i64* %".34"
  %".237" = add i64 %"probes.2", %".236"
  %".238" = getelementptr inbounds i8, ptr %".1", i64 104
  store i64 %".237", ptr %".238"
  ret i32 6
leave.done:
  %".241" = getelementptr inbounds i8, ptr %".1", i64 96
  %"rows_passed.3" = load i64, ptr %".241"
  %".242" = load i64, i64* %".32"
  %".243" = add i64 %"rows_passed.3", %".242"
  %".244" = getelementptr inbounds i8, ptr %".1", i64 96
  store i64 %".243", ptr %".244"
  %".246" = getelementptr inbounds i8, ptr %".1", i64 104
  %"probes.3" = load i64, ptr %".246"
  %".247" = load i64, i64* %".34"
  %".248" = add i64 %"probes.3", %".247"
  %".249" = getelementptr inbounds i8, ptr %".1", i64 104
  store i64 %".248", ptr %".249"
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
  %"pick" = phi  i64 [0, %"entry"], [%".147", %"group.endif"]
  %".60" = icmp slt i64 %"pick", %".3"
  br i1 %".60", label %"pick.body", label %"pick.after"
pick.body:
  store i64 %"pick", i64* %".32"
  %".63" = getelementptr inbounds i32, ptr %"selection", i64 %"pick"
  %".64" = load i32, ptr %".63"
  %".65" = zext i32 %".64" to i64
  %".66" = getelementptr inbounds i64, ptr %".17", i64 %".65"
  %".67" = getelementptr i8, ptr %".66", i64 8192
  call void @"llvm.prefetch.p0"(ptr %".67", i32 0, i32 0, i32 1)
  %".69" = getelementptr inbounds i64, ptr %".23", i64 %".65"
  %".70" = getelementptr i8, ptr %".69", i64 8192
  call void @"llvm.prefetch.p0"(ptr %".70", i32 0, i32 0, i32 1)
  %".72" = add i64 %".2", %".65"
  %".73" = getelementptr inbounds i64, ptr %".23", i64 %".65"
  %".74" = load i64, ptr %".73"
  %".75" = getelementptr inbounds i64, ptr %".17", i64 %".65"
  %".76" = load i64, ptr %".75"
  %".77" = load ptr, ptr %".39"
  %".78" = mul i64 %".76", 11400714819323198485
  %".79" = load i64, i64* %".43"
  %".80" = lshr i64 %".78", %".79"
  %".81" = mul i64 %".80", 24
  %".82" = getelementptr inbounds i8, ptr %".77", i64 %".81"
  %".83" = getelementptr inbounds i8, ptr %".82", i64 8
  %".84" = load i64, ptr %".83"
  %".85" = icmp eq i64 %".84", %".76"
  %".86" = and i1 1, %".85"
  br i1 %".86", label %"group", label %"group.search", !prof !1
pick.after:
  store i64 %".3", i64* %".32"
  %".150" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".2", ptr %".150"
  %".152" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 0, ptr %".152"
  br label %"leave.done"
group.search:
  %".88" = load ptr, ptr %".39"
  %".89" = load i64, i64* %".41"
  br label %"group.probe"
group:
  %".133" = phi  ptr [%".82", %"pick.body"], [%".93", %"group.found"]
  %".134" = getelementptr inbounds i8, ptr %".133", i64 16
  %".135" = load i64, ptr %".134"
  %".136" = call {i64, i1} @"llvm.sadd.with.overflow.i64"(i64 %".135", i64 %".74")
  %".137" = extractvalue {i64, i1} %".136", 0
  %".138" = extractvalue {i64, i1} %".136", 1
  br i1 %".138", label %"group.if", label %"group.endif", !prof !0
group.probe:
  %".91" = phi  i64 [%".80", %"group.search"], [%".108", %"group.step"]
  %".92" = mul i64 %".91", 24
  %".93" = getelementptr inbounds i8, ptr %".88", i64 %".92"
  %".94" = load i64, ptr %".93"
  %".95" = and i64 %".94", 3
  %".96" = icmp eq i64 %".95", 1
  %".97" = getelementptr inbounds i8, ptr %".93", i64 8
  %".98" = load i64, ptr %".97"
  %".99" = icmp eq i64 %".98", %".76"
  %".100" = and i1 %".96", %".99"
  br i1 %".100", label %"group.found", label %"group.miss", !prof !1
group.miss:
  %".102" = trunc i64 %".94" to i1
  br i1 %".102", label %"group.step", label %"group.insert"
group.step:
  %".104" = load i64, i64* %".34"
  %".105" = add i64 %".104", 1
  store i64 %".105", i64* %".34"
  %".107" = add i64 %".91", 1
  %".108" = and i64 %".107", %".89"
  br label %"group.probe"
group.insert:
  %".110" = load ptr, ptr %".37"
  %".111" = getelementptr inbounds i8, ptr %".110", i64 32
  %"count" = load i64, ptr %".111"
  %".112" = getelementptr inbounds i8, ptr %".110", i64 40
  %"limit" = load i64, ptr %".112"
  %".113" = icmp sge i64 %"count", %"limit"
  br i1 %".113", label %"group.insert.if", label %"group.insert.endif", !prof !0
group.found:
  %".129" = load i64, ptr %".93"
  %".130" = or i64 %".129", 4
  store i64 %".130", ptr %".93"
  br label %"group"
group.insert.if:
  %".115" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".72", ptr %".115"
  %".117" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 0, ptr %".117"
  br label %"leave.grow_table"
group.insert.endif:
  %".120" = add i64 %"count", 1
  %".121" = getelementptr inbounds i8, ptr %".110", i64 32
  store i64 %".120", ptr %".121"
  %".123" = getelementptr inbounds i8, ptr %".93", i64 8
  store i64 %".76", ptr %".123"
  %".125" = getelementptr inbounds i8, ptr %".93", i64 16
  store i64 0, ptr %".125"
  store i64 1, ptr %".93"
  br label %"group.found"
leave.grow_table:
  %".155" = getelementptr inbounds i8, ptr %".1", i64 96
  %"rows_passed" = load i64, ptr %".155"
  %".156" = load i64, i64* %".32"
  %".157" = add i64 %"rows_passed", %".156"
  %".158" = getelementptr inbounds i8, ptr %".1", i64 96
  store i64 %".157", ptr %".158"
  %".160" = getelementptr inbounds i8, ptr %".1", i64 104
  %"probes" = load i64, ptr %".160"
  %".161" = load i64, i64* %".34"
  %".162" = add i64 %"probes", %".161"
  %".163" = getelementptr inbounds i8, ptr %".1", i64 104
  store i64 %".162", ptr %".163"
  ret i32 1
group.if:
  %".140" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %".72", ptr %".140"
  %".142" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 0, ptr %".142"
  br label %"leave.spill"
group.endif:
  %".145" = getelementptr inbounds i8, ptr %".133", i64 16
  store i64 %".137", ptr %".145"
  %".147" = add nsw i64 %"pick", 1
  br label %"pick.head"
leave.spill:
  %".166" = getelementptr inbounds i8, ptr %".1", i64 96
  %"rows_passed.1" = load i64, ptr %".166"
  %".167" = load i64, i64* %".32"
  %".168" = add i64 %"rows_passed.1", %".167"
  %".169" = getelementptr inbounds i8, ptr %".1", i64 96
  store i64 %".168", ptr %".169"
  %".171" = getelementptr inbounds i8, ptr %".1", i64 104
  %"probes.1" = load i64, ptr %".171"
  %".172" = load i64, i64* %".34"
  %".173" = add i64 %"probes.1", %".172"
  %".174" = getelementptr inbounds i8, ptr %".1", i64 104
  store i64 %".173", ptr %".174"
  ret i32 6
leave.done:
  %".177" = getelementptr inbounds i8, ptr %".1", i64 96
  %"rows_passed.2" = load i64, ptr %".177"
  %".178" = load i64, i64* %".32"
  %".179" = add i64 %"rows_passed.2", %".178"
  %".180" = getelementptr inbounds i8, ptr %".1", i64 96
  store i64 %".179", ptr %".180"
  %".182" = getelementptr inbounds i8, ptr %".1", i64 104
  %"probes.2" = load i64, ptr %".182"
  %".183" = load i64, i64* %".34"
  %".184" = add i64 %"probes.2", %".183"
  %".185" = getelementptr inbounds i8, ptr %".1", i64 104
  store i64 %".184", ptr %".185"
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
  %".10" = getelementptr inbounds i8, ptr %"columns", i64 32
  %".11" = load ptr, ptr %".10"
  %".12" = getelementptr inbounds i8, ptr %"columns", i64 40
  %".13" = load ptr, ptr %".12"
  %".14" = getelementptr inbounds i8, ptr %"columns", i64 48
  %".15" = load i64, ptr %".14"
  %".16" = getelementptr inbounds i8, ptr %"columns", i64 56
  %".17" = load ptr, ptr %".16"
  %".18" = getelementptr inbounds i8, ptr %"columns", i64 112
  %".19" = load ptr, ptr %".18"
  %".20" = getelementptr inbounds i8, ptr %"columns", i64 168
  %".21" = load ptr, ptr %".20"
  %".22" = getelementptr inbounds i8, ptr %".1", i64 8
  %"lookups" = load ptr, ptr %".22"
  %".23" = getelementptr inbounds ptr, ptr %"lookups", i64 0
  %".24" = load ptr, ptr %".23"
  %".25" = getelementptr inbounds i8, ptr %".24", i64 8
  %".26" = load i32, ptr %".24"
  %".27" = getelementptr inbounds i8, ptr %".24", i64 4
  %".28" = load i32, ptr %".27"
  %".29" = sub i64 %".3", %".2"
  %".30" = icmp slt i64 %".15", 32
  %".70" = alloca i64
  br i1 %".30", label %"entry.if", label %"entry.else"
entry.if:
  br label %"test.head"
entry.else:
  br label %"test.head.1"
entry.endif:
  store i64 0, i64* %".70"
  br label %"pack.head"
test.head:
  %"test" = phi  i64 [0, %"entry.if"], [%".48", %"test.body"]
  %".33" = icmp slt i64 %"test", %".29"
  br i1 %".33", label %"test.body", label %"test.after"
test.body:
  %".35" = add i64 %".2", %"test"
  %".36" = getelementptr inbounds i32, ptr %".9", i64 %".35"
  %".37" = load i32, ptr %".36"
  %".38" = sext i32 %".37" to i64
  %".39" = trunc i64 %".38" to i32
  %".40" = lshr i32 %".26", %".39"
  %".41" = trunc i32 %".40" to i1
  %".42" = lshr i32 %".28", %".39"
  %".43" = trunc i32 %".42" to i1
  %".44" = and i1 1, %".41"
  %".45" = zext i1 %".44" to i8
  %".46" = getelementptr inbounds i8, ptr %"mask", i64 %"test"
  store i8 %".45", ptr %".46"
  %".48" = add nsw i64 %"test", 1
  br label %"test.head"
test.after:
  br label %"entry.endif"
test.head.1:
  %"test.1" = phi  i64 [0, %"entry.else"], [%".67", %"test.body.1"]
  %".52" = icmp slt i64 %"test.1", %".29"
  br i1 %".52", label %"test.body.1", label %"test.after.1"
test.body.1:
  %".54" = add i64 %".2", %"test.1"
  %".55" = getelementptr inbounds i32, ptr %".9", i64 %".54"
  %".56" = load i32, ptr %".55"
  %".57" = sext i32 %".56" to i64
  %".58" = getelementptr inbounds i8, ptr %".25", i64 %".57"
  %".59" = load i8, ptr %".58"
  %".60" = trunc i8 %".59" to i1
  %".61" = lshr i8 %".59", 1
  %".62" = trunc i8 %".61" to i1
  %".63" = and i1 1, %".60"
  %".64" = zext i1 %".63" to i8
  %".65" = getelementptr inbounds i8, ptr %"mask", i64 %"test.1"
  store i8 %".64", ptr %".65"
  %".67" = add nsw i64 %"test.1", 1
  br label %"test.head.1"
test.after.1:
  br label %"entry.endif"
pack.head:
  %"pack" = phi  i64 [0, %"entry.endif"], [%".84", %"pack.body"]
  %".73" = icmp slt i64 %"pack", %".29"
  br i1 %".73", label %"pack.body", label %"pack.after"
pack.body:
  %".75" = getelementptr inbounds i8, ptr %"mask", i64 %"pack"
  %".76" = load i8, ptr %".75"
  %".77" = zext i8 %".76" to i64
  %".78" = load i64, i64* %".70"
  %".79" = trunc i64 %"pack" to i32
  %".80" = getelementptr inbounds i32, ptr %"selection", i64 %".78"
  store i32 %".79", ptr %".80"
  %".82" = add i64 %".78", %".77"
  store i64 %".82", i64* %".70"
  %".84" = add nsw i64 %"pack", 1
  br label %"pack.head"
pack.after:
  %".86" = load i64, i64* %".70"
  ret i64 %".86"
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
  %".11" = getelementptr inbounds i8, ptr %"columns", i64 32
  %".12" = load ptr, ptr %".11"
  %".13" = getelementptr inbounds i8, ptr %"columns", i64 40
  %".14" = load ptr, ptr %".13"
  %".15" = getelementptr inbounds i8, ptr %"columns", i64 48
  %".16" = load i64, ptr %".15"
  %".17" = getelementptr inbounds i8, ptr %"columns", i64 56
  %".18" = load ptr, ptr %".17"
  %".19" = getelementptr inbounds i8, ptr %"columns", i64 112
  %".20" = load ptr, ptr %".19"
  %".21" = getelementptr inbounds i8, ptr %"columns", i64 168
  %".22" = load ptr, ptr %".21"
  %".23" = getelementptr inbounds i8, ptr %".1", i64 8
  %"lookups" = load ptr, ptr %".23"
  %".24" = getelementptr inbounds ptr, ptr %"lookups", i64 0
  %".25" = load ptr, ptr %".24"
  %".26" = getelementptr inbounds i8, ptr %".25", i64 8
  %".27" = load i32, ptr %".25"
  %".28" = getelementptr inbounds i8, ptr %".25", i64 4
  %".29" = load i32, ptr %".28"
  %".30" = alloca i1
  store i1 0, i1* %".30"
  %".32" = sub i64 %".3", %".2"
  %".33" = icmp slt i64 %".16", 32
  %".87" = alloca i64
  br i1 %".33", label %"entry.if", label %"entry.else"
entry.if:
  br label %"test.head"
entry.else:
  br label %"test.head.1"
entry.endif:
  store i64 0, i64* %".87"
  br label %"pack.head"
test.head:
  %"test" = phi  i64 [0, %"entry.if"], [%".58", %"test.body"]
  %".36" = icmp slt i64 %"test", %".32"
  br i1 %".36", label %"test.body", label %"test.after"
test.body:
  %".38" = add i64 %".2", %"test"
  %".39" = getelementptr inbounds i64, ptr %".20", i64 %".38"
  %".40" = load i64, ptr %".39"
  %".41" = sub i64 %".40", %".4"
  %".42" = icmp ugt i64 %".41", 9999999
  %".43" = load i1, i1* %".30"
  %".44" = or i1 %".43", %".42"
  store i1 %".44", i1* %".30"
  %".46" = getelementptr inbounds i32, ptr %".10", i64 %".38"
  %".47" = load i32, ptr %".46"
  %".48" = sext i32 %".47" to i64
  %".49" = trunc i64 %".48" to i32
  %".50" = lshr i32 %".27", %".49"
  %".51" = trunc i32 %".50" to i1
  %".52" = lshr i32 %".29", %".49"
  %".53" = trunc i32 %".52" to i1
  %".54" = and i1 1, %".51"
  %".55" = zext i1 %".54" to i8
  %".56" = getelementptr inbounds i8, ptr %"mask", i64 %"test"
  store i8 %".55", ptr %".56"
  %".58" = add nsw i64 %"test", 1
  br label %"test.head"
test.after:
  br label %"entry.endif"
test.head.1:
  %"test.1" = phi  i64 [0, %"entry.else"], [%".84", %"test.body.1"]
  %".62" = icmp slt i64 %"test.1", %".32"
  br i1 %".62", label %"test.body.1", label %"test.after.1"
test.body.1:
  %".64" = add i64 %".2", %"test.1"
  %".65" = getelementptr inbounds i64, ptr %".20", i64 %".64"
  %".66" = load i64, ptr %".65"
  %".67" = sub i64 %".66", %".4"
  %".68" = icmp ugt i64 %".67", 9999999
  %".69" = load i1, i1* %".30"
  %".70" = or i1 %".69", %".68"
  store i1 %".70", i1* %".30"
  %".72" = getelementptr inbounds i32, ptr %".10", i64 %".64"
  %".73" = load i32, ptr %".72"
  %".74" = sext i32 %".73" to i64
  %".75" = getelementptr inbounds i8, ptr %".26", i64 %".74"
  %".76" = load i8, ptr %".75"
  %".77" = trunc i8 %".76" to i1
  %".78" = lshr i8 %".76", 1
  %".79" = trunc i8 %".78" to i1
  %".80" = and i1 1, %".77"
  %".81" = zext i1 %".80" to i8
  %".82" = getelementptr inbounds i8, ptr %"mask", i64 %"test.1"
  store i8 %".81", ptr %".82"
  %".84" = add nsw i64 %"test.1", 1
  br label %"test.head.1"
test.after.1:
  br label %"entry.endif"
pack.head:
  %"pack" = phi  i64 [0, %"entry.endif"], [%".101", %"pack.body"]
  %".90" = icmp slt i64 %"pack", %".32"
  br i1 %".90", label %"pack.body", label %"pack.after"
pack.body:
  %".92" = getelementptr inbounds i8, ptr %"mask", i64 %"pack"
  %".93" = load i8, ptr %".92"
  %".94" = zext i8 %".93" to i64
  %".95" = load i64, i64* %".87"
  %".96" = trunc i64 %"pack" to i32
  %".97" = getelementptr inbounds i32, ptr %"selection", i64 %".95"
  store i32 %".96", ptr %".97"
  %".99" = add i64 %".95", %".94"
  store i64 %".99", i64* %".87"
  %".101" = add nsw i64 %"pack", 1
  br label %"pack.head"
pack.after:
  %".103" = load i64, i64* %".87"
  %".104" = load i1, i1* %".30"
  %".105" = select  i1 %".104", i64 8589934592, i64 0
  %".106" = or i64 %".103", %".105"
  ret i64 %".106"
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
  %".25" = alloca i64
  store i64 0, i64* %".25"
  %".27" = getelementptr inbounds i8, ptr %".1", i64 64
  %"row_begin" = load i64, ptr %".27"
  %".28" = getelementptr inbounds i8, ptr %".1", i64 72
  %"row_end" = load i64, ptr %".28"
  %".29" = sub i64 %"row_end", %"row_begin"
  %".30" = add i64 %".29", 16383
  %".31" = udiv i64 %".30", 16384
  %".40" = alloca i1
  %".113" = alloca i1
  br label %"block.head"
block.head:
  %"block" = phi  i64 [0, %"entry"], [%".135", %"block.body.endif.endif"]
  %".33" = icmp slt i64 %"block", %".31"
  br i1 %".33", label %"block.body", label %"block.after"
block.body:
  %".35" = mul i64 %"block", 16384
  %".36" = add i64 %"row_begin", %".35"
  %".37" = add i64 %".36", 16384
  %".38" = icmp slt i64 %".37", %"row_end"
  %".39" = select  i1 %".38", i64 %".37", i64 %"row_end"
  store i1 0, i1* %".40"
  %".42" = getelementptr inbounds i8, ptr %".1", i64 48
  %"state" = load ptr, ptr %".42"
  %".43" = getelementptr inbounds i8, ptr %"state", i64 0
  %"current" = load ptr, ptr %".43"
  %".44" = getelementptr inbounds i8, ptr %"current", i64 0
  %"slice_start" = load i64, ptr %".44"
  %".45" = load i64, i64* %".25"
  %".46" = icmp sle i64 %".45", 0
  %".47" = getelementptr inbounds i8, ptr %".1", i64 136
  %"times_known" = load i64, ptr %".47"
  %".48" = icmp ne i64 %"times_known", 0
  %".49" = getelementptr inbounds i8, ptr %".1", i64 144
  %"time_least" = load i64, ptr %".49"
  %".50" = sub i64 %"time_least", %"slice_start"
  %".51" = icmp ult i64 %".50", 10000000
  %".52" = and i1 %".48", %".51"
  %".53" = getelementptr inbounds i8, ptr %".1", i64 152
  %"time_greatest" = load i64, ptr %".53"
  %".54" = sub i64 %"time_greatest", %"slice_start"
  %".55" = icmp ult i64 %".54", 10000000
  %".56" = and i1 %".52", %".55"
  %".57" = xor i1 %".56", -1
  %".58" = getelementptr inbounds i8, ptr %".1", i64 48
  %"state.1" = load ptr, ptr %".58"
  %".59" = getelementptr inbounds i8, ptr %"state.1", i64 0
  %"current.1" = load ptr, ptr %".59"
  %".60" = getelementptr inbounds i8, ptr %"current.1", i64 48
  %"complete" = load i64, ptr %".60"
  %".61" = icmp ne i64 %"complete", 0
  %".62" = and i1 %".57", %".61"
  %".63" = and i1 %".46", %".62"
  br i1 %".63", label %"block.body.if", label %"block.body.else"
block.after:
  %".137" = getelementptr inbounds i8, ptr %".1", i64 80
  store i64 %"row_end", ptr %".137"
  %".139" = getelementptr inbounds i8, ptr %".1", i64 88
  store i64 0, ptr %".139"
  br label %"leave.done"
block.body.if:
  %".65" = call i64 @"select_in_slice"(ptr %".1", i64 %".36", i64 %".39", i64 %"slice_start")
  %".66" = icmp slt i64 %".65", 0
  br i1 %".66", label %"block.body.if.if", label %"block.body.if.endif", !prof !0
block.body.else:
  %".88" = load i64, i64* %".25"
  %".89" = sub i64 %".88", 1
  store i64 %".89", i64* %".25"
  br label %"block.body.endif"
block.body.endif:
  %".92" = load i1, i1* %".40"
  %".93" = xor i1 %".92", -1
  br i1 %".93", label %"block.body.endif.if", label %"block.body.endif.endif", !prof !0
block.body.if.if:
  %".68" = xor i64 %".65", -1
  %".69" = trunc i64 %".68" to i32
  ret i32 %".69"
block.body.if.endif:
  %".71" = and i64 %".65", 12884901888
  %".72" = and i64 %".65", 4294967295
  %".73" = icmp eq i64 %".71", 0
  %".74" = shl i64 %".72", 2
  %".75" = sub i64 %".39", %".36"
  %".76" = icmp sge i64 %".74", %".75"
  %".77" = and i1 %".73", %".76"
  %".78" = select  i1 %".77", i64 0, i64 16
  store i64 %".78", i64* %".25"
  br i1 %".73", label %"block.body.if.endif.if", label %"block.body.if.endif.endif", !prof !2
block.body.if.endif.if:
  %".81" = call i32 @"fast"(ptr %".1", i64 %".36", i64 %".72")
  %".82" = icmp ne i32 %".81", 0
  br i1 %".82", label %"block.body.if.endif.if.if", label %"block.body.if.endif.if.endif", !prof !0
block.body.if.endif.endif:
  br label %"block.body.endif"
block.body.if.endif.if.if:
  ret i32 %".81"
block.body.if.endif.if.endif:
  store i1 1, i1* %".40"
  br label %"block.body.if.endif.endif"
block.body.endif.if:
  %".95" = call i64 @"select_rows"(ptr %".1", i64 %".36", i64 %".39")
  %".96" = icmp slt i64 %".95", 0
  br i1 %".96", label %"block.body.endif.if.if", label %"block.body.endif.if.endif", !prof !0
block.body.endif.endif:
  %".135" = add nsw i64 %"block", 1
  br label %"block.head"
block.body.endif.if.if:
  %".98" = xor i64 %".95", -1
  %".99" = trunc i64 %".98" to i32
  ret i32 %".99"
block.body.endif.if.endif:
  %".101" = getelementptr inbounds i8, ptr %".1", i64 48
  %"state.2" = load ptr, ptr %".101"
  %".102" = getelementptr inbounds i8, ptr %"state.2", i64 0
  %"current.2" = load ptr, ptr %".102"
  %".103" = getelementptr inbounds i8, ptr %"current.2", i64 48
  %"complete.1" = load i64, ptr %".103"
  %".104" = icmp ne i64 %"complete.1", 0
  %".105" = shl i64 %".95", 2
  %".106" = sub i64 %".39", %".36"
  %".107" = icmp sge i64 %".105", %".106"
  %".108" = xor i1 0, -1
  %".109" = and i1 %".107", %".108"
  %".110" = getelementptr inbounds i8, ptr %".1", i64 48
  %"state.3" = load ptr, ptr %".110"
  %".111" = getelementptr inbounds i8, ptr %"state.3", i64 0
  %"current.3" = load ptr, ptr %".111"
  %".112" = getelementptr inbounds i8, ptr %"current.3", i64 0
  %"slice_start.1" = load i64, ptr %".112"
  store i1 0, i1* %".113"
  br i1 %".109", label %"block.body.endif.if.endif.if", label %"block.body.endif.if.endif.endif"
block.body.endif.if.endif.if:
  %".116" = call i64 @"times.farthest"(ptr %".15", i64 %"slice_start.1", i64 %".36", i64 %".39")
  %".117" = icmp ult i64 %".116", 10000000
  store i1 %".117", i1* %".113"
  br label %"block.body.endif.if.endif.endif"
block.body.endif.if.endif.endif:
  %".120" = load i1, i1* %".113"
  %".121" = or i1 %".120", 0
  %".122" = and i1 %".104", %".121"
  br i1 %".122", label %"block.body.endif.if.endif.endif.if", label %"block.body.endif.if.endif.endif.else"
block.body.endif.if.endif.endif.if:
  %".124" = call i32 @"fast"(ptr %".1", i64 %".36", i64 %".95")
  %".125" = icmp ne i32 %".124", 0
  br i1 %".125", label %"block.body.endif.if.endif.endif.if.if", label %"block.body.endif.if.endif.endif.if.endif", !prof !0
block.body.endif.if.endif.endif.else:
  %".129" = call i32 @"general"(ptr %".1", i64 %".36", i64 %".95")
  %".130" = icmp ne i32 %".129", 0
  br i1 %".130", label %"block.body.endif.if.endif.endif.else.if", label %"block.body.endif.if.endif.endif.else.endif", !prof !0
block.body.endif.if.endif.endif.endif:
  br label %"block.body.endif.endif"
block.body.endif.if.endif.endif.if.if:
  ret i32 %".124"
block.body.endif.if.endif.endif.if.endif:
  br label %"block.body.endif.if.endif.endif.endif"
block.body.endif.if.endif.endif.else.if:
  ret i32 %".129"
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
  %"entry.1" = phi  i64 [0, %"entry"], [%".66", %"entry.body.endif"]
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
  %".44" = and i1 1, %".43"
  %".45" = and i1 %".39", %".44"
  %".46" = zext i1 0 to i8
  %".47" = zext i1 %".45" to i8
  %".48" = shl i8 %".46", 1
  %".49" = or i8 %".47", %".48"
  %".50" = getelementptr inbounds i8, ptr %".21", i64 %"entry.1"
  store i8 %".49", ptr %".50"
  %".52" = icmp ult i64 %"entry.1", 32
  br i1 %".52", label %"entry.body.if", label %"entry.body.endif"
entry.after:
  %".68" = getelementptr inbounds i8, ptr %".21", i64 -8
  %".69" = load i32, i32* %".25"
  store i32 %".69", ptr %".68"
  %".71" = getelementptr inbounds i8, ptr %".21", i64 -4
  %".72" = load i32, i32* %".27"
  store i32 %".72", ptr %".71"
  br label %"leave.done"
entry.body.if:
  %".54" = trunc i64 %"entry.1" to i32
  %".55" = zext i1 %".45" to i32
  %".56" = shl i32 %".55", %".54"
  %".57" = load i32, i32* %".25"
  %".58" = or i32 %".57", %".56"
  store i32 %".58", i32* %".25"
  %".60" = zext i1 0 to i32
  %".61" = shl i32 %".60", %".54"
  %".62" = load i32, i32* %".27"
  %".63" = or i32 %".62", %".61"
  store i32 %".63", i32* %".27"
  br label %"entry.body.endif"
entry.body.endif:
  %".66" = add nsw i64 %"entry.1", 1
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
!2 = !{ !"branch_weights", i32 99, i32 1 }