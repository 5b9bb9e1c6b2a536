/** Characters that reorder or hide text: bidirectional controls and the Unicode tag block. */
const hiddenCharacters = /[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu

/** `text` with each such character written as `⟨U+202E⟩`, so that code or a name cannot read differently from what it is. */
export const revealHiddenCharacters = (text: string): string =>
  text.replace(hiddenCharacters, (one) => `⟨U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase()}⟩`)
