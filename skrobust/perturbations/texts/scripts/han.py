"""Han: characters of similar look, and radicals and variants of the same look."""

import unicodedata
from functools import cache

from skrobust.perturbations.texts.scripts.script import Script

_SIMILAR = """
未末 土士上 己已巳 人入八 日曰 目自白 大太犬 千干于十 木本术 田由甲申电 戊戌戍 刀力
王玉主 天夫无元关 午牛年 何伺河 侯候 蜜密 住往主 拨拔 免兔 鸟乌 今令 问间闻 门们 贝见
体休 处外 设没 折拆析 辨辩瓣 请清情晴 历厉 厂广 儿几九 师帅 治冶始 冷泠 盲育 亨享 哀衰
微徽 徒徙 孤弧 还环坏 不下 了子 小少 友有发 他地 这达 时对 着看 倒到 要耍 可司 你尔
能熊 而面 哪那 待得 特持侍 乏之 石右后 里理埋 月用 道首 行往 然燃 种和 争事 方万 多夕
径经 么公分 云去 法注 字学 如加 部都 现规 挡当 功动 赶起 近进 奴好 其具 样祥 心必 箭前
井开并 担但 因困囚 只识 从丛 想相 头买卖实 军车 音意 它宅 写与 长张 把吧 机杭 民良
弟第 比此 便使 明朋 性姓 知如 全金 又叉 占点 正止 亚业 将奖 两雨 毫高 恨很 量重童 物吻
手毛 庆应 交文 政攻 美姜 披被 利和 什计 产立 或域 亲新 刺制 果杲 西酉四 斯期 活话 回田
代伐 内肉 表麦 花化 给结 位泣 任仕 先光 海悔 通遍 数教 厚原 声户 提堤 水永 名各 直真
论沦 足走 义叉 平半 系糸 气乞汽 颗题 史更 别另 灯打 女安 神伸 書畫 雷電雲 軍車東束
語話 見貝 間問開閉聞 會曾 學覺 辰長 夾來 過週 愛受 讀続読 訳駅 昼尽 買貸 飯飲館 遠達
紛終 畔町 村材林 亦赤 責青 黒里 薬楽 欧歌 毎母 時侍 国圍國 個固 說設
"""
_SIMPLIFIED_RADICALS = {
    "长": "\u2ed3", "见": "\u2ec5", "车": "\u2ecb", "门": "\u2ed4", "马": "\u2ee2",
    "鱼": "\u2ee5", "鸟": "\u2ee6", "黄": "\u2ee9", "齐": "\u2eec", "龙": "\u2ef0",
    "页": "\u2eda", "风": "\u2edb", "飞": "\u2edc", "食": "\u2edd", "青": "\u2ed8",
}  # fmt: skip

HAN = Script(confused=tuple(_SIMILAR.split()))


@cache
def han_doubles():
    """Return Han characters that have a double, and the double.

    It is a Kangxi radical, a simplified radical or a compatibility ideograph: another
    code point for the same shape. Their mappings are those of the Unicode Standard,
    which are stable.
    """
    found = dict(_SIMPLIFIED_RADICALS)
    for code in (*range(0x2F00, 0x2FD6), *range(0xF900, 0xFADA)):
        same = unicodedata.normalize("NFKC", chr(code))
        if same != chr(code):
            found.setdefault(same, chr(code))
    return found
