"""Pages whose tables are written between markers."""


def replace(path, part, text):
    """Puts the text between the markers of a page for this part of it."""
    begin, end = f"<!-- {part}: begin -->", f"<!-- {part}: end -->"
    page = path.read_text()
    if page.count(begin) != 1 or page.count(end) != 1 or page.index(begin) > page.index(end):
        raise SystemExit(f"{path} lacks the lines {begin} and {end}, once each and in this order; the table goes between them")
    path.write_text(page[: page.index(begin) + len(begin)] + "\n" + text + "\n" + page[page.index(end) :])
