//! Unicode property escapes of a pattern, `\p{Script=Greek}` or `\P{Lu}`.
//!
//! ECMA-262 spells property names exactly, the `regex` crate loosely: the tables here hold the exact names, in byte order.

/// What the text between the braces of `\p{...}` names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Property {
    /// The `regex` crate knows the property; the text goes between the braces of its `\p{...}`.
    Known(String),
    /// The property of surrogates, which no UTF-8 text holds.
    Surrogate,
    /// ECMA-262 has the property, the `regex` crate does not.
    Unsupported,
    /// ECMA-262 has no such property; holds the spelling it has instead, if one is near.
    Unknown(Option<String>),
}

/// Resolves the text between the braces of `\p{...}`.
pub(super) fn resolve(text: &str) -> Property {
    match text.split_once('=') {
        Some(("General_Category" | "gc", value)) => {
            general_category(value).unwrap_or_else(|| unknown(text))
        }
        Some(("Script" | "sc" | "Script_Extensions" | "scx", value))
            if contains(UNSUPPORTED_SCRIPTS, value) =>
        {
            Property::Unsupported
        }
        Some(("Script" | "sc", value)) if contains(SCRIPTS, value) => {
            Property::Known(format!("sc={value}"))
        }
        Some(("Script_Extensions" | "scx", value)) if contains(SCRIPTS, value) => {
            Property::Known(format!("scx={value}"))
        }
        Some(_) => unknown(text),
        None if contains(UNSUPPORTED_PROPERTIES, text) => Property::Unsupported,
        None if contains(BINARY_PROPERTIES, text) => Property::Known(text.to_owned()),
        None => general_category(text).unwrap_or_else(|| unknown(text)),
    }
}

fn general_category(value: &str) -> Option<Property> {
    match value {
        "Cs" | "Surrogate" => Some(Property::Surrogate),
        _ if contains(GENERAL_CATEGORIES, value) => Some(Property::Known(format!("gc={value}"))),
        _ => None,
    }
}

/// Finds the exact spelling that `text` most likely stands for: another case, or a script without `Script=`.
fn unknown(text: &str) -> Property {
    let (prefix, value) = text.split_once('=').unwrap_or(("", text));
    let folded = fold(value);
    let find = |table: &[&str]| {
        table
            .iter()
            .find(|name| fold(name) == folded)
            .map(|name| (*name).to_owned())
    };
    let near = match fold(prefix).as_str() {
        "" => find(GENERAL_CATEGORIES)
            .or_else(|| find(BINARY_PROPERTIES))
            .or_else(|| find(SCRIPTS).map(|name| format!("Script={name}"))),
        "generalcategory" | "gc" => {
            find(GENERAL_CATEGORIES).map(|name| format!("General_Category={name}"))
        }
        "script" | "sc" => find(SCRIPTS).map(|name| format!("Script={name}")),
        "scriptextensions" | "scx" => find(SCRIPTS).map(|name| format!("Script_Extensions={name}")),
        _ => None,
    };
    Property::Unknown(near)
}

fn fold(name: &str) -> String {
    name.chars()
        .filter(|c| !matches!(c, '_' | '-' | ' '))
        .map(|c| c.to_ascii_lowercase())
        .collect()
}

fn contains(table: &[&str], name: &str) -> bool {
    table.binary_search(&name).is_ok()
}

/// Values of `General_Category`, long and short.
#[rustfmt::skip]
const GENERAL_CATEGORIES: &[&str] = &[
    "C", "Cased_Letter", "Cc", "Cf", "Close_Punctuation", "Cn", "Co", "Combining_Mark",
    "Connector_Punctuation", "Control", "Cs", "Currency_Symbol", "Dash_Punctuation",
    "Decimal_Number", "Enclosing_Mark", "Final_Punctuation", "Format", "Initial_Punctuation",
    "L", "LC", "Letter", "Letter_Number", "Line_Separator", "Ll", "Lm", "Lo",
    "Lowercase_Letter", "Lt", "Lu", "M", "Mark", "Math_Symbol", "Mc", "Me", "Mn",
    "Modifier_Letter", "Modifier_Symbol", "N", "Nd", "Nl", "No", "Nonspacing_Mark", "Number",
    "Open_Punctuation", "Other", "Other_Letter", "Other_Number", "Other_Punctuation",
    "Other_Symbol", "P", "Paragraph_Separator", "Pc", "Pd", "Pe", "Pf", "Pi", "Po",
    "Private_Use", "Ps", "Punctuation", "S", "Sc", "Separator", "Sk", "Sm", "So",
    "Space_Separator", "Spacing_Mark", "Surrogate", "Symbol", "Titlecase_Letter",
    "Unassigned", "Uppercase_Letter", "Z", "Zl", "Zp", "Zs", "cntrl", "digit", "punct",
];

/// Binary properties, long and short.
#[rustfmt::skip]
const BINARY_PROPERTIES: &[&str] = &[
    "AHex", "ASCII", "ASCII_Hex_Digit", "Alpha", "Alphabetic", "Any", "Assigned", "Bidi_C",
    "Bidi_Control", "Bidi_M", "Bidi_Mirrored", "CI", "CWCF", "CWCM", "CWL", "CWT", "CWU",
    "Case_Ignorable", "Cased", "Changes_When_Casefolded", "Changes_When_Casemapped",
    "Changes_When_Lowercased", "Changes_When_Titlecased", "Changes_When_Uppercased", "DI",
    "Dash", "Default_Ignorable_Code_Point", "Dep", "Deprecated", "Dia", "Diacritic", "EBase",
    "EComp", "EMod", "EPres", "Emoji", "Emoji_Component", "Emoji_Modifier",
    "Emoji_Modifier_Base", "Emoji_Presentation", "Ext", "ExtPict", "Extended_Pictographic",
    "Extender", "Gr_Base", "Gr_Ext", "Grapheme_Base", "Grapheme_Extend", "Hex", "Hex_Digit",
    "IDC", "IDS", "IDSB", "IDST", "IDS_Binary_Operator", "IDS_Trinary_Operator",
    "ID_Continue", "ID_Start", "Ideo", "Ideographic", "Join_C", "Join_Control", "LOE",
    "Logical_Order_Exception", "Lower", "Lowercase", "Math", "NChar",
    "Noncharacter_Code_Point", "Pat_Syn", "Pat_WS", "Pattern_Syntax", "Pattern_White_Space",
    "QMark", "Quotation_Mark", "RI", "Radical", "Regional_Indicator", "SD", "STerm",
    "Sentence_Terminal", "Soft_Dotted", "Term", "Terminal_Punctuation", "UIdeo",
    "Unified_Ideograph", "Upper", "Uppercase", "VS", "Variation_Selector", "White_Space",
    "XIDC", "XIDS", "XID_Continue", "XID_Start", "space",
];

/// Binary properties of ECMA-262 that the `regex` crate has no data for.
#[rustfmt::skip]
const UNSUPPORTED_PROPERTIES: &[&str] = &[
    "CWKCF", "Changes_When_NFKC_Casefolded",
];

/// Scripts of ECMA-262 that the `regex` crate has no data for.
const UNSUPPORTED_SCRIPTS: &[&str] = &["Unknown", "Zzzz"];

/// Values of `Script` and `Script_Extensions`, long and short.
#[rustfmt::skip]
const SCRIPTS: &[&str] = &[
    "Adlam", "Adlm", "Aghb", "Ahom", "Anatolian_Hieroglyphs", "Arab", "Arabic", "Armenian",
    "Armi", "Armn", "Avestan", "Avst", "Bali", "Balinese", "Bamu", "Bamum", "Bass",
    "Bassa_Vah", "Batak", "Batk", "Beng", "Bengali", "Bhaiksuki", "Bhks", "Bopo", "Bopomofo",
    "Brah", "Brahmi", "Brai", "Braille", "Bugi", "Buginese", "Buhd", "Buhid", "Cakm",
    "Canadian_Aboriginal", "Cans", "Cari", "Carian", "Caucasian_Albanian", "Chakma", "Cham",
    "Cher", "Cherokee", "Chorasmian", "Chrs", "Common", "Copt", "Coptic", "Cpmn", "Cprt",
    "Cuneiform", "Cypriot", "Cypro_Minoan", "Cyrillic", "Cyrl", "Deseret", "Deva",
    "Devanagari", "Diak", "Dives_Akuru", "Dogr", "Dogra", "Dsrt", "Dupl", "Duployan", "Egyp",
    "Egyptian_Hieroglyphs", "Elba", "Elbasan", "Elym", "Elymaic", "Ethi", "Ethiopic", "Gara",
    "Garay", "Geor", "Georgian", "Glag", "Glagolitic", "Gong", "Gonm", "Goth", "Gothic",
    "Gran", "Grantha", "Greek", "Grek", "Gujarati", "Gujr", "Gukh", "Gunjala_Gondi",
    "Gurmukhi", "Guru", "Gurung_Khema", "Han", "Hang", "Hangul", "Hani", "Hanifi_Rohingya",
    "Hano", "Hanunoo", "Hatr", "Hatran", "Hebr", "Hebrew", "Hira", "Hiragana", "Hluw", "Hmng",
    "Hmnp", "Hung", "Imperial_Aramaic", "Inherited", "Inscriptional_Pahlavi",
    "Inscriptional_Parthian", "Ital", "Java", "Javanese", "Kaithi", "Kali", "Kana", "Kannada",
    "Katakana", "Kawi", "Kayah_Li", "Khar", "Kharoshthi", "Khitan_Small_Script", "Khmer",
    "Khmr", "Khoj", "Khojki", "Khudawadi", "Kirat_Rai", "Kits", "Knda", "Krai", "Kthi",
    "Lana", "Lao", "Laoo", "Latin", "Latn", "Lepc", "Lepcha", "Limb", "Limbu", "Lina", "Linb",
    "Linear_A", "Linear_B", "Lisu", "Lyci", "Lycian", "Lydi", "Lydian", "Mahajani", "Mahj",
    "Maka", "Makasar", "Malayalam", "Mand", "Mandaic", "Mani", "Manichaean", "Marc",
    "Marchen", "Masaram_Gondi", "Medefaidrin", "Medf", "Meetei_Mayek", "Mend",
    "Mende_Kikakui", "Merc", "Mero", "Meroitic_Cursive", "Meroitic_Hieroglyphs", "Miao",
    "Mlym", "Modi", "Mong", "Mongolian", "Mro", "Mroo", "Mtei", "Mult", "Multani", "Myanmar",
    "Mymr", "Nabataean", "Nag_Mundari", "Nagm", "Nand", "Nandinagari", "Narb", "Nbat",
    "New_Tai_Lue", "Newa", "Nko", "Nkoo", "Nshu", "Nushu", "Nyiakeng_Puachue_Hmong", "Ogam",
    "Ogham", "Ol_Chiki", "Ol_Onal", "Olck", "Old_Hungarian", "Old_Italic",
    "Old_North_Arabian", "Old_Permic", "Old_Persian", "Old_Sogdian", "Old_South_Arabian",
    "Old_Turkic", "Old_Uyghur", "Onao", "Oriya", "Orkh", "Orya", "Osage", "Osge", "Osma",
    "Osmanya", "Ougr", "Pahawh_Hmong", "Palm", "Palmyrene", "Pau_Cin_Hau", "Pauc", "Perm",
    "Phag", "Phags_Pa", "Phli", "Phlp", "Phnx", "Phoenician", "Plrd", "Prti",
    "Psalter_Pahlavi", "Qaac", "Qaai", "Rejang", "Rjng", "Rohg", "Runic", "Runr", "Samaritan",
    "Samr", "Sarb", "Saur", "Saurashtra", "Sgnw", "Sharada", "Shavian", "Shaw", "Shrd",
    "Sidd", "Siddham", "SignWriting", "Sind", "Sinh", "Sinhala", "Sogd", "Sogdian", "Sogo",
    "Sora", "Sora_Sompeng", "Soyo", "Soyombo", "Sund", "Sundanese", "Sunu", "Sunuwar", "Sylo",
    "Syloti_Nagri", "Syrc", "Syriac", "Tagalog", "Tagb", "Tagbanwa", "Tai_Le", "Tai_Tham",
    "Tai_Viet", "Takr", "Takri", "Tale", "Talu", "Tamil", "Taml", "Tang", "Tangsa", "Tangut",
    "Tavt", "Telu", "Telugu", "Tfng", "Tglg", "Thaa", "Thaana", "Thai", "Tibetan", "Tibt",
    "Tifinagh", "Tirh", "Tirhuta", "Tnsa", "Todhri", "Todr", "Toto", "Tulu_Tigalari", "Tutg",
    "Ugar", "Ugaritic", "Vai", "Vaii", "Vith", "Vithkuqi", "Wancho", "Wara",
    "Warang_Citi", "Wcho", "Xpeo", "Xsux", "Yezi", "Yezidi", "Yi", "Yiii", "Zanabazar_Square",
    "Zanb", "Zinh", "Zyyy",
];

#[cfg(test)]
#[path = "unicode_property_tests.rs"]
mod tests;
