/** What `/docs` reads: the list of pages, and long texts when they are opened or searched. */
import { type Accessor, createEffect, createMemo, createSignal, on, onCleanup } from 'solid-js'
import { type ApiError, callApi } from '#client/api/http.ts'
import { notWanted } from '#client/api/not-wanted.ts'
import { asApiError } from '#client/console/load.ts'
import { language } from '#client/ui/language.ts'
import type { DocPage, Docs } from '#shared/console/docs'

/** The reference as far as it is read. */
export interface Reading {
  docs: Accessor<Docs | undefined>
  /** The last reading that failed. */
  error: Accessor<ApiError | undefined>
  /** Reads what is missing again. */
  retry(): void
}

/** The link to a page, or to a place in it. */
export const hrefOf = (page: string, anchor?: string): string => `/docs?page=${encodeURIComponent(page)}${anchor ? `#${anchor}` : ''}`

/** Whoever reads it calls Parley where the page comes from. */
const forReader = (docs: Docs): Docs => ({
  ...docs,
  pages: docs.pages.map((page) => ({ ...page, html: page.html.replaceAll(docs.origin, location.origin) })),
})

/** Reads the reference in the language of the console. `wanted`: whether this page's text is needed now. */
export function createReading(wanted: (page: DocPage) => boolean): Reading {
  const [known, setKnown] = createSignal<{ docs: Docs; language: string }>()
  const [texts, setTexts] = createSignal<Readonly<Record<string, string>>>({})
  const [error, setError] = createSignal<ApiError>()
  const [tries, setTries] = createSignal(0)
  const asked = new Set<string>()
  const leaving = new AbortController()
  onCleanup(() => leaving.abort(notWanted))

  async function read<Answer>(path: string, take: (answer: Answer) => void): Promise<void> {
    if (asked.has(path)) return
    asked.add(path)
    try {
      take(await callApi<Answer>('GET', path, undefined, leaving.signal))
      setError(undefined)
    } catch (thrown) {
      if (leaving.signal.aborted) return
      asked.delete(path)
      setError(asApiError(thrown))
    }
  }

  createEffect(
    on([language, tries], ([in_]) => {
      if (known()?.language === in_) return
      void read<Docs>(`/docs.json?language=${in_}`, (docs) => language() === in_ && setKnown({ docs: forReader(docs), language: in_ }))
    }),
  )
  const addressed = (page: DocPage, in_: string) => `/docs/${page.id}.json?language=${in_}`
  createEffect(() => {
    tries()
    const now = known()
    if (now === undefined) return
    for (const page of now.docs.pages.filter((one) => one.later && wanted(one))) {
      const path = addressed(page, now.language)
      void read<DocPage>(path, ({ html }) => setTexts((before) => ({ ...before, [path]: html })))
    }
  })
  const docs = createMemo((): Docs | undefined => {
    const now = known()
    if (now === undefined) return undefined
    const textOf = (page: DocPage) => (page.later ? texts()[addressed(page, now.language)] : undefined)
    // What did not change stays the same object: a page that is read is not drawn again because another one came.
    const pages = now.docs.pages.map((page) => {
      const html = textOf(page)
      return html === undefined ? page : { ...page, html }
    })
    return { ...now.docs, pages }
  })
  return { docs, error, retry: () => setTries((before) => before + 1) }
}
