"""JSON and CSV files as sources: options and settings that have a native form."""

from __future__ import annotations

from pyspark.sql import SparkSession

from adaptive.explain import StaysInSpark
from codegen_llvm import CsvForm

TEXT_TITLES = {"json": "JSON", "csv": "CSV"}
# CSV: words for numbers that are none with their defaults, and spaces around fields.
_WORDS = {"nanvalue": "NaN", "positiveinf": "Inf", "negativeinf": "-Inf"}
_TRIMS = ("ignoreleadingwhitespace", "ignoretrailingwhitespace")
# Honoured by the native scan.
_READ = {
    "json": frozenset({"mode", "columnnameofcorruptrecord"}),
    "csv": frozenset(
        {
            *("mode", "columnnameofcorruptrecord", "header", "sep", "delimiter", "comment"),
            *("quote", "escape", "nullvalue", "emptyvalue", *_WORDS, *_TRIMS),
        }
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
        "charset": "utf-8",
        "columnpruning": "true",
        "encoding": "utf-8",
        "enforceschema": "true",
        "maxcharspercolumn": "-1",
        "maxcolumns": "20480",
        "multiline": "false",
        "unescapedquotehandling": "stop_at_delimiter",
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
_NONE = "\0"  # of a form of lines: there is no such character
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
    separator = _character("sep", "\t" if separator == "\\t" else separator)
    quote = _character("quote", lowered.get("quote", '"'))
    escape = _character("escape", lowered.get("escape", "\\"))
    comment = _character("comment", lowered.get("comment", "")).strip(_NONE)
    if separator in (_NONE, quote, escape):
        raise StaysInSpark(f"CSV option sep has no native form for {separator!r}")
    null = lowered.get("nullvalue", "")
    if not null.isascii() or any(char in null for char in (separator, quote, escape, "\n", "\r")):
        raise StaysInSpark(f"CSV option nullValue has no native form for {null!r}")
    leading, trailing = (_flag(name, lowered.get(name, "false")) for name in _TRIMS)
    nan, positive, negative = (_word(name, lowered) for name in _WORDS)
    return CsvForm(
        *(separator, quote, escape, null, lowered.get("emptyvalue", ""), comment),
        (nan, positive, negative),
        leading,
        trailing,
    )


def _character(option: str, value: str) -> str:
    """The value of an option that is one character or none."""
    if len(value) > 1 or not value.isascii() or value in ("\n", "\r"):
        raise StaysInSpark(
            f"CSV option {option} has a native form only for one plain character, not {value!r}"
        )
    return value or _NONE


def _flag(option: str, value: str) -> bool:
    if value.lower() not in ("true", "false"):
        raise StaysInSpark(f"CSV option {option} is neither true nor false but {value!r}")
    return value.lower() == "true"


def _word(option: str, options: dict[str, str]) -> str:
    """A word for a number that is none; one with digits could be a number as well."""
    word = options.get(option, _WORDS[option])
    if any(char.isdigit() for char in word):
        raise StaysInSpark(f"CSV option {option} has no native form for {word!r}")
    return word
