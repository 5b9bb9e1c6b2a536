/** Limits of keys, and the response headers with what is left of them. */
import { allowanceHeaders } from '#protocols/allowances'
import { html, prose, type Section, table } from './html.ts'
import type { Say } from './say.ts'

const sample = { limit: 600, remaining: 599, resetMs: 100 }
/** In the order of the headers. */
const meanings = [
  'Requests allowed per minute.',
  'Requests left now.',
  'When all of them are available again.',
  'Tokens allowed per minute.',
  'Tokens left now.',
  'When all of them are available again.',
] as const

/** The chapter about limits. */
export function limits(say: Say): Section {
  const namesOf = (wire: 'chat' | 'messages') => Object.keys(allowanceHeaders(wire, { requests: sample, tokens: sample }, 0))
  const [openai, messages] = [namesOf('chat'), namesOf('messages')]
  const rows = meanings.map((means, n) => [`\`${openai[n]}\``, `\`${messages[n]}\``, say(means)])
  const paragraph = (text: string) => html`<p>${prose(say(text))}</p>`
  const content = html`${paragraph('Keys, users, teams and groups can have limits on requests and tokens per minute, concurrent requests, and spending. Responses report what is left of the tightest per-minute limit, in the headers of their protocol; Gemini has none, and without a limit there is no header.')}
${table(say('Headers of limits'), ['OpenAI', 'Messages', say('Meaning')], rows)}
${paragraph('A request beyond a per-minute limit is refused with `rate_limit_exceeded`, status 429, and `Retry-After`; one that the balance or a budget does not cover with `insufficient_quota`. Neither is charged.')}
<p>${prose(say('What a key may use now is shown by `GET /v1/models` ; the console has a list with prices:'))} <a href="/models">${say('Models')}</a></p>`
  return { id: 'limits', title: say('Limits'), content }
}
