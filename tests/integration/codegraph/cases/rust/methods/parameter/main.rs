struct Log;

impl Log {
    fn write(&self) {}
}

fn use_log(first: &Log, second: &mut Log, third: Box<Log>) {
    first.write();
    second.write();
    third.write();
}
