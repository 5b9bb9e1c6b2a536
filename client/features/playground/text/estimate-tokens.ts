const wide = /[⺀-鿿가-힯＀-￯]/g

/**
 * Estimated number of tokens in `text`: about four Latin characters, or one and a half Han, kana or Hangul characters, per
 * token. Linear in its length.
 */
export function estimateTokens(text: string): number {
  const han = text.match(wide)?.length ?? 0
  return Math.ceil(han / 1.5 + (text.length - han) / 4)
}

/** Tokens that each message adds beside its text. */
export const tokensPerMessage = 4
