import pytest

from outcrop.pipeline.link_edges import find_tables


@pytest.mark.parametrize(
    ("code", "tables"),
    [
        ('q = "SELECT a FROM users u JOIN public.orders o ON 1"',
         {"users": "read", "public.orders": "read"}),
        ("db.run('insert into log (a) values (1)')", {"log": "write"}),
        ('"""\nUPDATE carts\nSET a = 1\nFROM users\n"""', {"users": "read", "carts": "write"}),
        ("`DELETE FROM ${x} WHERE 1`", {}),
        ('"DELETE FROM old_rows"', {"old_rows": "write"}),
        ('"CREATE TABLE IF NOT EXISTS t (a int)"', {"t": "write"}),
        ('class U:\n    __tablename__ = "users"', {"users": "map"}),
        ('@Table(name = "users")\nclass U {}', {"users": "map"}),
        ("class Meta:\n    db_table = 'users'", {"users": "map"}),
    ],
)  # fmt: skip
def test_tables_in_statements_and_mappings_are_found(code, tables):
    assert find_tables(code) == tables


@pytest.mark.parametrize(
    "code",
    [
        "from shop import cart",
        '"Update the cart from the shop"',
        "# SELECT what you need FROM here",
        '"select one from the list"[0:3] + join(x)',
        "",
    ],
)
def test_prose_and_imports_are_no_statements(code):
    assert "cart" not in find_tables(code)
    assert not {"here", "shop"} & set(find_tables(code))
