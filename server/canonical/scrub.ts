/** Removes keys, accounts, addresses and names of people from upstream messages shown to callers. */

const secrets: readonly RegExp[] = [
  /\b(?:https?|wss?):\/\/[^\s"'<>`]+/gi,
  /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g,
  /\bbearer\s{1,4}[^\s"',;]{8,}/gi,
  /\bbasic\s{1,4}(?=[\w+/]{0,200}[\d=])[\w+/=]{8,}/gi,
  /\b(?:sk|pk|rk|gsk|xai|org|proj|wrkspc)[-_][\w*.-]{4,}/gi,
  /\b(?:acct|api|key|req|team|user|ws)[-_](?=[\w-]{0,200}\d)[\w*-]{6,}/gi,
  /\bAIza[\w-]{10,}/g,
  /\beyJ[\w-]{8,}(?:\.[\w-]{1,2000}){0,2}/g,
  /\b(?:[a-z0-9-]{1,63}\.){1,8}(?:com|net|org|io|ai|dev|cloud|app|eu|cn|de|uk|us|local|internal|lan|svc)\b(?::\d{1,5})?/gi,
  /\blocalhost(?::\d{1,5})?\b/gi,
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/g,
  /\[?(?:[0-9a-f]{0,4}:){3,7}[0-9a-f]{0,4}\]?(?::\d{1,5})?/gi,
  // Cloud accounts and projects, and file system paths.
  /\barn:[\w-]{2,}:[\w:/.*+=@-]+/g,
  /\b(?:projects|subscriptions|accounts|organizations|resourceGroups)\/[\w.-]+/gi,
  /\b\d{9,}\b/g,
  /(?<![\w/:])\/(?:home|root|var|usr|etc|opt|srv|mnt|tmp|app|data|Users|private|workspace|proc|run)\/[\w.@/+-]+/g,
  /\b[A-Z]:\\[\w.\\ -]+/g,
  // Long opaque words: keys, tokens and account ids without a known prefix.
  /(?=[\w*-]{0,200}\d)[\w*-]{24,}/g,
]

/** An upstream's message for callers: one line of at most 500 characters. */
export function scrub(message: string): string {
  // A truncated word could hide half a key from the patterns, so the last one is dropped.
  const whole = message.length <= 2000 ? message : message.slice(0, message.lastIndexOf(' ', 2000) + 1)
  let text = whole
  for (const secret of secrets) text = text.replace(secret, '[removed]')
  return text
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, 500)
    .trim()
}

/** The text without these words, ignoring case, and without a trailing prefix of one of them: it may have been cut there. */
export function withoutWords(text: string, words: readonly string[]): string {
  let rest = text
  for (const word of words) rest = rest.replaceAll(new RegExp(RegExp.escape(word), 'gi'), '[removed]')
  const cut = words.map((word) => overlap(rest, word)).reduce((most, length) => Math.max(most, length), 0)
  return cut === 0 ? rest : `${rest.slice(0, -cut)}[removed]`
}

/** Length of the longest end of `text`, six characters or more, with which `word` begins. */
function overlap(text: string, word: string): number {
  for (let length = Math.min(word.length - 1, text.length); length >= 6; length--) if (text.endsWith(word.slice(0, length))) return length
  return 0
}

/** An upstream's short identifier (a type, a code, a field's path), or undefined when it is anything else. */
export function plainWord(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^[\w.[\]-]{1,64}$/.test(value)) return undefined
  return scrub(value) === value ? value : undefined
}

const mostNames = 64
const deepest = 5

/**
 * The part of an upstream's error object that can be shown: plain names with booleans, numbers and plain words, or lists and objects of
 * them. Undefined when there is none.
 */
export function scrubbed(value: unknown, depth = 0): unknown {
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value) && Math.abs(value) < 1e6)) return value
  if (typeof value === 'string') return plainWord(value)
  if (typeof value !== 'object' || value === null || depth > deepest) return undefined
  if (Array.isArray(value)) return value.slice(0, mostNames).flatMap((item) => scrubbed(item, depth + 1) ?? [])
  const shown = Object.entries(value)
    .slice(0, mostNames)
    .flatMap(([name, inner]): [string, unknown][] => {
      const safe = plainWord(name) === undefined ? undefined : scrubbed(inner, depth + 1)
      return safe === undefined ? [] : [[name, safe]]
    })
  return shown.length > 0 ? Object.fromEntries(shown) : undefined
}
