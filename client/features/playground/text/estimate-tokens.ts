/** A guess at how many tokens a text has, good enough for a bar that says "about". Linear, and quick on a pasted book. */

const wide = /[⺀-鿿가-힯＀-￯]/g

/** About four Latin characters, or one and a half Han, kana or Hangul characters, make a token. */
export function estimateTokens(text: string): number {
  const han = text.match(wide)?.length ?? 0
  return Math.ceil(han / 1.5 + (text.length - han) / 4)
}

/** Tokens around each message that the text does not show. */
export const tokensPerMessage = 4
