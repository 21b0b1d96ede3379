// export: a-b, a::, 1a, f()
