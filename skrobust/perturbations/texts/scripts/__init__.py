"""Scripts: what keyboards, recognition and doubles do to each of them."""
