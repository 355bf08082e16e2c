"""Words too frequent to tell one text from another."""

from __future__ import annotations

_ENGLISH_STOP_WORDS = """
a about above after again against all also am an and any are aren't as at be because
been before being below between both but by can can't cannot could couldn't did didn't
do does doesn't doing don't down during each few for from further had hadn't has hasn't
have haven't having he her here hers herself him himself his how i i'd i'll i'm i've if
in into is isn't it it's its itself let's me more most mustn't my myself no nor not of
off on once only or other ought our ours ourselves out over own same shan't she should
shouldn't so some such than that that's the their theirs them themselves then there
there's these they they're this those through to too under until up upon very was
wasn't we we're were weren't what what's when where which while who whom whose why will
with won't would wouldn't you you're your yours yourself yourselves
d ll m o re s t ve
"""

_RUSSIAN_STOP_WORDS = """
а без более больше будет будто бы был была были было быть в вам вас ваш ваша ваше ваши
вдруг ведь во вот впрочем все всегда всего всех всею вы где да даже для до другой его
ее ей ему если есть еще ж же за здесь и из или им ими иногда их к как какая какой кем
когда кого ком кому конечно которая которого которой которые который которых кто куда
ли лишь между меня мне много может можно мой моя мы на над надо наш наша наше наши не
него нее ней нельзя нет нибудь никогда ним них ничего но ну о об один одна одно однако
он она они оно опять от перед по под после потом потому почти при про раз разве с сам
само самый свое своего своей свои своих свой своя себе себя сейчас со совсем так такая
такие такого такое такой там тебя тем теперь то тогда того тоже той только том тот тут
ты у уж уже хоть хотя чего чей чем через что чтоб чтобы чуть эта эти этих это этого этой
этом этот эту я
"""

STOP_WORDS = frozenset((_ENGLISH_STOP_WORDS + _RUSSIAN_STOP_WORDS).split())
