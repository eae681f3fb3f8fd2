"""Words too common to tell one text from another. Names and months (`will`, `may`) are not among them."""

_ENGLISH = """
a about above after again against all also am an and any are arent as at be because been before being below
between both but by can cannot cant could couldnt did didnt do does doesnt doing dont down during each else ever
few for from further had hadnt has hasnt have havent having he hed her here hers herself hes him himself his how i
id if im in into is isnt it itll its itself ive just lets me mightnt more most mustnt my myself no nor not now of
off on once only or other ought our ours ourselves out over same she shed shes should shouldnt so some such than
that thats the their theirs them themselves then there theres these they theyd theyll theyre theyve this those
through to too under until up us very was wasnt we wed were werent weve what whats when where which while who whom
whose why with wont would wouldnt you youd youll your youre yours yourself yourselves youve
"""

_RUSSIAN = """
а без более бы был была были было быть в вам вас ваш ваша ваши весь во вот все всего всех всю вы где да даже для
до его ее ей ему если есть еще же за зачем здесь и из или им ими их к как какая какие какой ко когда которая
которого которые который кто ли либо меня мне может мои мой моя мы на над надо нам нас наш наша наши не него нее
нет ни них но ну о об однако он она они оно от очень по под потом почему при с свои свой своя себе себя сколько со
так также такой там те тебе тебя тем то тогда того тоже той только том ты у уже хотя чего чей чем что чтобы чье
чья эта эти это этого этой этом этот я
"""

STOP_WORDS = frozenset(_ENGLISH.split()) | frozenset(_RUSSIAN.split())
