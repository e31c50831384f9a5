"""Kana: the keys of a telephone, with small and voiced kana, and similar letters."""

from skrobust.perturbations.texts.scripts.script import Script

_HIRAGANA_KEYS = (
    "あいうえおぁぃぅぇぉ", "かきくけこがぎぐげご", "さしすせそざじずぜぞ",
    "たちつてとだぢづでどっ", "なにぬねの", "はひふへほばびぶべぼぱぴぷぺぽ",
    "まみむめも", "やゆよゃゅょ", "らりるれろ", "わをん",
)  # fmt: skip


def as_katakana(text):
    """Return hiragana as the katakana of the same sounds."""
    return "".join(chr(ord(c) + 0x60) for c in text)


KANA = Script(
    keys=(*_HIRAGANA_KEYS, *map(as_katakana, _HIRAGANA_KEYS)),
    confused=(
        "はほけ", "ばぱは", "ひびぴ", "ふぶぷ", "へべぺ", "ほぼぽ", "ぬめ", "るろ",
        "われね", "きさち", "りい", "あお", "こに", "くへ", "たな", "すむ", "かが",
        "きぎ", "くぐ", "けげ", "こご", "さざ", "しじ", "すず", "せぜ", "そぞ",
        "ただ", "つづっ", "てで", "とど", "やゃ", "ゆゅ", "よょ", "まも", "らろ",
        "のめ", "シツ", "ソンノ", "クケワウ", "タク", "ヌスマ", "アマ", "チテ",
        "ロコ", "コユ", "ナメ", "ラフ", "ニミ", "ハバパ", "ヒビピ", "フブプ",
        "ヘベペ", "ホボポ", "ルレ", "ヨコ", "カガ", "キギ", "サザセ", "トド", "イト",
        "リソ", "ツッ", "ヤャ", "ユュ", "ヨョ", "オホ", "ーン",
    ),
    # The same signs in the other kana, and katakana that look like Han characters.
    doubles={
        "へ": "ヘ", "べ": "ベ", "ぺ": "ペ", "ヘ": "へ", "ベ": "べ", "ペ": "ぺ",
        "り": "リ", "カ": "力", "ロ": "口", "ニ": "二", "エ": "工", "タ": "夕",
        "ト": "卜", "ハ": "八", "ミ": "彡", "チ": "千", "オ": "才", "ー": "一",
    },
)  # fmt: skip
