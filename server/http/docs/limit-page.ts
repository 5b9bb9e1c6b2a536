/** Limits of keys, and the response headers with what is left of them. */
import { allowanceHeaders } from '#protocols/allowances'
import { html, prose, type Section, table } from './html.ts'
import type { Say } from './say.ts'

const sample = { limit: 600, remaining: 599, resetMs: 100 }
/** In the order of the headers. */
const meanings = [
  'Requests that may be made in a minute.',
  'Requests that are left now.',
  'When all of them are there again.',
  'Tokens that may be used in a minute.',
  'Tokens that are left now.',
  'When all of them are there again.',
] as const

/** The chapter about limits. */
export function limits(say: Say): Section {
  const namesOf = (wire: 'chat' | 'messages') => Object.keys(allowanceHeaders(wire, { requests: sample, tokens: sample }, 0))
  const [openai, messages] = [namesOf('chat'), namesOf('messages')]
  const rows = meanings.map((means, n) => [`\`${openai[n]}\``, `\`${messages[n]}\``, say(means)])
  const paragraph = (text: string) => html`<p>${prose(say(text))}</p>`
  const content = html`${paragraph('Keys, users, teams and groups may be limited in requests and tokens a minute, in requests at once, and in what they spend. Answers tell what is left of the tightest limit a minute, in the headers that the clients of their protocol know; those of Gemini know none, and without a limit there is no header.')}
${table(say('Headers of limits'), ['OpenAI', 'Messages', say('Meaning')], rows)}
${paragraph('A request beyond a limit a minute is refused with `rate_limit_exceeded`, status 429, and `Retry-After`; one that no balance or budget pays for with `insufficient_quota`. Neither is charged.')}
<p>${prose(say('What a key may use now, `GET /v1/models` answers; in the console there is a list with prices:'))} <a href="/models">${say('Models')}</a></p>`
  return { id: 'limits', title: say('Limits'), content }
}
