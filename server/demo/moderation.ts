/** Moderation of the demo: it looks for a few words without understanding them, and flags their categories. */
import { type Fields, isObject } from './chat-rules.ts'
import { tokensIn } from './prompt.ts'
import type { JsonResult } from './refusal.ts'

/** Every category of the vendor, with the words that trigger it in the demo. */
const categories: Readonly<Record<string, RegExp | undefined>> = {
  harassment: /\b(idiot|stupid)\b|白痴/i,
  'harassment/threatening': undefined,
  hate: /\bhate\b|仇恨/i,
  'hate/threatening': undefined,
  illicit: /\bsteal\b|偷/i,
  'illicit/violent': undefined,
  'self-harm': undefined,
  'self-harm/intent': undefined,
  'self-harm/instructions': undefined,
  sexual: undefined,
  'sexual/minors': undefined,
  violence: /\b(kill|murder)\b|杀/i,
  'violence/graphic': undefined,
}

/** Answers `/v1/moderations`, or rejects what a real vendor would reject. */
export function moderate(body: Fields): JsonResult {
  const judged = judgedIn(body.input)
  if (judged === undefined) {
    return { refusal: { status: 400, message: 'input must be text, or a list of texts or parts.', param: 'input', code: null } }
  }
  const tokens = judged.reduce((sum, text) => sum + tokensIn(text), 0)
  return {
    answer: {
      id: 'modr-demo',
      model: body.model,
      results: judged.map(verdict),
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    },
  }
}

/** The texts that get a result each: one, several, or all parts as one. */
function judgedIn(input: unknown): string[] | undefined {
  if (typeof input === 'string') return [input]
  if (!Array.isArray(input) || input.length === 0) return undefined
  if (input.every((item) => typeof item === 'string')) return input
  if (!input.every((part) => isObject(part) && (part.type === 'text' || part.type === 'image_url'))) return undefined
  const texts = input.filter(({ type }) => type === 'text').map(({ text }) => String(text))
  return [texts.join('\n')]
}

function verdict(text: string): Record<string, unknown> {
  const found = Object.entries(categories).map(([name, words]) => [name, words?.test(text) ?? false] as const)
  return {
    flagged: found.some(([, isFound]) => isFound),
    categories: Object.fromEntries(found),
    category_scores: Object.fromEntries(found.map(([name, isFound]) => [name, isFound ? 0.99 : 0.01])),
    // The demo does not inspect images.
    category_applied_input_types: Object.fromEntries(found.map(([name]) => [name, text === '' ? [] : ['text']])),
  }
}
