trait Greeter {
    fn name(&self) -> String;

    fn greet(&self) {
        self.name();
    }
}

struct Bot;

impl Greeter for Bot {
    fn name(&self) -> String {
        todo!()
    }
}

fn start(bot: Bot) {
    bot.greet();
}
