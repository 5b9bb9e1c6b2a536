/** Search in the reference, in the browser: every word must be in a page or an endpoint. */
import type { DocPage } from '#shared/console/docs'

/** What was found. */
export interface Hit {
  page: string
  anchor?: string
  title: string
  note: string
}

const mostHits = 30

/** Pages and endpoints with all words of `text`; those with a word in their title first. */
export function searchDocs(pages: readonly DocPage[], text: string): Hit[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const hits = pages.flatMap((page) => [
    ...page.endpoints.map((one) => ({
      hit: { page: page.id, anchor: one.id, title: `${one.method} ${one.path}`, note: one.summary },
      text: [
        one.method,
        one.path,
        one.summary,
        plain(one.html),
        ...[...one.takes, ...one.gives].map(({ path, means }) => `${path} ${means}`),
      ].join(' '),
    })),
    { hit: { page: page.id, title: page.title, note: page.group }, text: `${page.title} ${plain(page.html)}` },
  ])
  const inTitle = ({ hit }: (typeof hits)[number]) => words.every((word) => `${hit.title} ${hit.note}`.toLowerCase().includes(word))
  return hits
    .filter((one) => words.every((word) => one.text.toLowerCase().includes(word)))
    .toSorted((a, b) => Number(inTitle(b)) - Number(inTitle(a)))
    .slice(0, mostHits)
    .map(({ hit }) => hit)
}

const plain = (html: string) => html.replace(/<[^>]*>/g, ' ')
