import java.util.ArrayList;
import java.util.List;

class Main {
    void run() {
        List<String> names = new ArrayList<>();
        names.add("x");
        System.out.println(names);
    }
}
