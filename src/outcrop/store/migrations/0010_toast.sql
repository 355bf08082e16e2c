-- Three rows a page. Rows of code have a dozen texts of a few hundred bytes; with less room
-- nearly all of them were stored out of line one by one, which took longer to write and
-- more space than the texts themselves. No room is left for updates: with rows of this
-- size it was hardly ever enough for one.
ALTER TABLE chunks SET (toast_tuple_target = 2712, fillfactor = 100);
