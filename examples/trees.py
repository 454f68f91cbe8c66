"""A parser of made sentences, and a tree drawn with lines of text.

python examples/trees.py
"""

from laconic import Doc, Mira, Parser
from laconic.text.conllu_files import parse_conllu

ROWS = (
    "the\tthe\tDET\tDET\t_\t2\tdet",
    "{0}\t{0}\tNOUN\tNOUN\t_\t3\tnsubj",
    "{1}\t{1}\tVERB\tVERB\t_\t0\troot",
)
pairs = [("cat", "sleeps"), ("dog", "barks"), ("cat", "eats"), ("dog", "sleeps")]
blocks = (
    "".join(f"{k}\t{row.format(*pair)}\t_\t_\n" for k, row in enumerate(ROWS, 1)) for pair in pairs
)
bank = parse_conllu("\n".join(blocks) + "\n")
parser = Parser(learner=Mira(3)).fit(bank.treebank())
print(parser.predict(bank.treebank())[0])
print(Doc(bank).sentences[0].draw())
