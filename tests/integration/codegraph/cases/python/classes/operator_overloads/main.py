class V:
    def __add__(self, other):
        return self
    def __getitem__(self, key):
        return self
    def __len__(self):
        return 1
    def __eq__(self, other):
        return True
a = V() + V()
a[0]
len(a)
a == a
