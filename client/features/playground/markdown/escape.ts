/** Text made harmless: as HTML, and as something whose invisible characters can be seen. */

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (one) => escapes[one] ?? one)

/** Characters that turn or hide text: bidirectional controls and the tag block. */
const hiddenCharacters = /[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu

/** Shows characters that could make code or a name read differently from what it is. */
export const revealHiddenCharacters = (text: string): string =>
  text.replace(hiddenCharacters, (one) => `⟨U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase()}⟩`)
