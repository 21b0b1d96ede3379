import words

rust = words.bind(baseline={"shout": lambda text: text + "?"})
print(rust.tier, rust.shout("a"))
