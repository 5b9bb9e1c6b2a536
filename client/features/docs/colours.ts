/** Syntax colours of samples: plain text is shown first, and stays if it cannot be coloured. */
import { nodesOf } from './nodes.ts'

/** The names of the samples' languages, as the highlighter knows them. */
const languages: Record<string, string> = { curl: 'bash', Python: 'python', TypeScript: 'typescript', JavaScript: 'javascript' }

/** The highlighter's name for the language of a sample. */
export const languageOf = (name: string): string => languages[name] ?? name.toLowerCase()

/** The language of unlabelled code; undefined if it is neither a call nor JSON. */
export const languageIn = (text: string): string | undefined =>
  /^(curl|export|npm|parley) /.test(text) ? 'bash' : /^\s*[[{]/.test(text) ? 'json' : undefined

/** A call split at its body: before the quote, the JSON between the quotes, and the rest. */
const withBody = /^([\s\S]*?(?:-d|--data|--json) )'([[{][\s\S]*?)'([\s\S]*)$/

/** The parts of a sample, each in its own language: the body of a call is JSON. */
export function partsOf(text: string, language: string): { text: string; language: string | undefined }[] {
  const [, before, body, after] = (language === 'bash' && withBody.exec(text)) || []
  if (before === undefined || body === undefined) return [{ text, language }]
  const quote = { text: "'", language: undefined }
  return [{ text: before, language }, quote, { text: body, language: 'json' }, quote, { text: after ?? '', language }]
}

/** Colours the text in place when the page is idle. Stays plain if the highlighter cannot be loaded. */
export function colourLater(place: HTMLElement, text: string, language: string): void {
  const work = () => void colour(place, text, language).catch(() => undefined)
  if ('requestIdleCallback' in window) requestIdleCallback(work, { timeout: 2_000 })
  else setTimeout(work, 50)
}

async function colour(place: HTMLElement, text: string, language: string): Promise<void> {
  const { highlight } = await import('#client/ui/code/highlight.ts')
  const parts = await Promise.all(
    partsOf(text, language).map(async (part) => {
      const html = part.language && (await highlight(part.text, part.language))
      return html ? nodesOf(html) : document.createTextNode(part.text)
    }),
  )
  // Another sample may be shown there by now.
  if (place.textContent === text) place.replaceChildren(...parts)
}
