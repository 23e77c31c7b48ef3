"""JSON and CSV files as sources: options and settings that have a native form."""

from __future__ import annotations

from pyspark.sql import SparkSession

from adaptive.explain import StaysInSpark
from codegen_llvm import CsvForm

TEXT_TITLES = {"json": "JSON", "csv": "CSV"}
# Honoured by the native scan.
_READ = {
    "json": frozenset({"mode", "columnnameofcorruptrecord"}),
    "csv": frozenset(
        {"mode", "columnnameofcorruptrecord", "header", "sep", "delimiter", "nullvalue", "escape"}
    ),
}
# How the schema is inferred, or how files are written: nothing that a reader with a schema asks.
_WITHOUT_EFFECT = frozenset(
    {
        "dropfieldifallnull",
        "inferschema",
        "prefersdecimal",
        "preferdate",
        "primitivesasstring",
        "samplingratio",
    }
)
# Options with a native form for one value only, which is the reader's own default.
_DEFAULTS: dict[str, dict[str, str]] = {
    "json": {
        "allowbackslashescapinganycharacter": "false",
        "allowcomments": "false",
        "allownonnumericnumbers": "true",
        "allownumericleadingzeros": "false",
        "allowsinglequotes": "true",
        "allowunquotedcontrolchars": "false",
        "allowunquotedfieldnames": "false",
        "multiline": "false",
    },
    "csv": {
        "columnpruning": "true",
        "emptyvalue": "",
        "enforceschema": "true",
        "ignoreleadingwhitespace": "false",
        "ignoretrailingwhitespace": "false",
        "multiline": "false",
        "quote": '"',
    },
}
# Settings of the session that change what a text means, with the value that has a native form.
_SETTINGS: dict[str, dict[str, str]] = {
    "json": {
        "spark.sql.json.enableExactStringParsing": "true",
        "spark.sql.json.enablePartialResults": "true",
        "spark.sql.legacy.json.allowEmptyString.enabled": "false",
        "spark.sql.legacy.json.enableDateTimeParsingFallback": "None",
    },
    "csv": {
        "spark.sql.csv.parser.columnPruning.enabled": "true",
        "spark.sql.legacy.csv.enableDateTimeParsingFallback": "None",
    },
}
CORRUPT_COLUMN = "spark.sql.columnNameOfCorruptRecord"
CORRUPT_OPTION = "columnNameOfCorruptRecord"
# Not options of Spark's but for the native scan: the filters that Spark's reader would apply, the
# names of the fields of a line, and what times mean that are written as text.
PUSHED_OPTION = "kodiak.pushedFilters"
FIELDS_OPTION = "kodiak.fields"
TIMES_OPTION = "kodiak.times"


def refuse_text_options(
    spark: SparkSession, format_: str, options: dict[str, str], listing: frozenset[str]
) -> None:
    """Raise for an option that the native scan does not read as Spark does."""
    for key, value in options.items():
        name = key.lower()
        if name in listing | _READ[format_] | _WITHOUT_EFFECT:
            continue
        default = _DEFAULTS[format_].get(name)
        if default is None:
            raise StaysInSpark(
                f"{TEXT_TITLES[format_]} option {key} has no native form; leave it out"
            )
        if value.lower() != default:
            raise StaysInSpark(
                f"{TEXT_TITLES[format_]} option {key} has a native form only for {default!r}"
            )
    if format_ == "csv":
        csv_form(options)
    conf = spark._jsparkSession.sessionState().conf()
    for setting, value in _SETTINGS[format_].items():
        there = str(conf.getConfString(setting))
        if there != value:
            raise StaysInSpark(f"{setting} is {there}; the native scan reads text as with {value}")


def csv_form(options: dict[str, str]) -> CsvForm:
    """How lines are written, by the reader's options."""
    lowered = {key.lower(): value for key, value in options.items()}
    separator = lowered.get("sep") or lowered.get("delimiter") or ","
    separator = "\t" if separator == "\\t" else separator
    if len(separator) != 1 or not separator.isascii() or separator in '"\\\n\r\0':
        raise StaysInSpark(
            f"CSV option sep has a native form only for one plain character, not {separator!r}"
        )
    null = lowered.get("nullvalue", "")
    if not null.isascii() or any(char in f'{separator}"\\\n\r' for char in null):
        raise StaysInSpark(f"CSV option nullValue has no native form for {null!r}")
    escape = lowered.get("escape", "\\")
    if escape not in ("\\", '"'):
        raise StaysInSpark(f'CSV option escape has a native form only for \\ and ", not {escape!r}')
    return CsvForm(separator, escape=escape, null=null)
