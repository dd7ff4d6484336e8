"""turnsmith with every text that is in the catalogues in brackets, to see which are not: python bracketed.py serve …"""

import gettext

from turnsmith import languages

KNOWN = languages._catalogue("cs")


class Brackets(gettext.NullTranslations):
    """A language in which every text is itself, within brackets."""

    def gettext(self, message):
        return f"⟦{message}⟧" if KNOWN.gettext(message) != message or is_kept(message) else message

    def ngettext(self, msgid1, msgid2, n):
        return f"⟦{msgid1 if n == 1 else msgid2}⟧" if KNOWN.ngettext(msgid1, msgid2, n) not in (msgid1, msgid2) else msgid1


def is_kept(message):
    """Whether a text is in the catalogue and the same in Czech."""
    texts = KNOWN
    while texts is not None:
        if message in getattr(texts, "_catalog", {}):
            return True
        texts = texts._fallback
    return False


def install():
    languages._catalogue = lambda language: Brackets()


if __name__ == "__main__":
    from turnsmith.cli import main

    install()
    main()
