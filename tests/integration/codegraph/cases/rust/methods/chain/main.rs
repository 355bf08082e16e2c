struct Query;

impl Query {
    fn filter_by(self) -> Self {
        self
    }

    fn run(self) {}
}

fn start(query: Query) {
    query.filter_by().filter_by().run();
}
