struct Item;

impl Item {
    fn ship(&self) {}
}

fn ship_all(items: Vec<Item>) {
    items.iter().for_each(|item| item.ship());
    for item in items.iter() {
        item.ship();
    }
    for item in &items {
        item.ship();
    }
}
