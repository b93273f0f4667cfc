use expect_test::expect;

use super::*;

#[test]
fn simple_names_stay_as_people_write_them() {
    let said = prose("tool `fs_read`, whether calls run: see `.jp/config.toml`:3 (rule 2)");
    expect!["tool `fs_read`, whether calls run: see `.jp/config.toml`:3 (rule 2)"].assert_eq(&said);
}

#[test]
fn no_name_is_markup_a_link_or_a_mention() {
    let evil = "a|b` @all #12 org/repo#3 [x](http://e.org) ![i](http://e.org/i.png) <img src=x> www.e.org :+1: *b* _i_ ~s~ \\ $x$ c:3";
    expect!["a&#124;b&#96; &#64;&#8203;all &#35;&#8203;12 org/repo&#35;&#8203;3 &#91;x&#93;(http&#58;&#8203;//e.org) !&#91;i&#93;(http&#58;&#8203;//e.org/i.png) &#60;img src=x&#62; www&#46;e.org &#58;&#8203;+1: &#42;b&#42; &#95;i&#95; &#126;s&#126; &#92; &#36;x&#36; c:3"].assert_eq(&prose(evil));
    expect!["tool <code>a&#124;b</code> &#64;&#8203;all &#35;&#8203;12 org/repo&#35;&#8203;3 &#91;x&#93;(http&#58;&#8203;//e.org) !&#91;i&#93;(http&#58;&#8203;//e.org/i.png) &#60;img src=x&#62; www&#46;e.org &#58;&#8203;+1: &#42;b&#42; &#95;i&#95; &#126;s&#126; &#92; &#36;x&#36; c:3`, and `b&#96;"].assert_eq(&prose(&format!("tool `{evil}`, and `b`")));
    expect!["tool &#96;&#96;&#91;a&#93;(b)&#96;&#96; &#96;"].assert_eq(&prose("tool ``[a](b)`` `"));
    expect!["<code>a&#124;b&#96; &#64;all &#35;12 org/repo&#35;3 &#91;x&#93;(http&#58;//e.org) !&#91;i&#93;(http&#58;//e.org/i.png) &#60;img src=x&#62; www&#46;e.org &#58;+1: &#42;b&#42; &#95;i&#95; &#126;s&#126; &#92; &#36;x&#36; c:3 &#60;/code&#62;&#60;b&#62;</code>"].assert_eq(&code(&format!("{evil}\n</code><b>")));
}
