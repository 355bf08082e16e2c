const text = "a b";
text.split(" ");
"x".trim();
