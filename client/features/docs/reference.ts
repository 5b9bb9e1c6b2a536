/** Loads the reference: the list of pages, and long texts when they are opened or searched. */
import { type Accessor, createEffect, createMemo, createSignal, on, onCleanup } from 'solid-js'
import { noLongerNeeded } from '#client/api/abort-reason.ts'
import { type ApiError, callApi } from '#client/api/http.ts'
import { asApiError } from '#client/console/load.ts'
import { language } from '#client/ui/language.ts'
import type { DocPage, Docs } from '#shared/console/docs'

/** The reference, as far as it is loaded. */
export interface Reading {
  docs: Accessor<Docs | undefined>
  /** The last error. */
  error: Accessor<ApiError | undefined>
  /** Loads what is missing again. */
  retry(): void
}

/** The link to a page, or to a place in it. */
export const hrefOf = (page: string, anchor?: string): string => `/docs?page=${encodeURIComponent(page)}${anchor ? `#${anchor}` : ''}`

/** The reference with the origin of this page in its samples. */
const forReader = (docs: Docs): Docs => ({
  ...docs,
  pages: docs.pages.map((page) => ({ ...page, html: page.html.replaceAll(docs.origin, location.origin) })),
})

/** Loads the reference in the console's language. `wanted`: whether this page's text is needed now. */
export function createReading(wanted: (page: DocPage) => boolean): Reading {
  const [known, setKnown] = createSignal<{ docs: Docs; language: string }>()
  const [texts, setTexts] = createSignal<Readonly<Record<string, string>>>({})
  const [error, setError] = createSignal<ApiError>()
  const [tries, setTries] = createSignal(0)
  const asked = new Set<string>()
  const leaving = new AbortController()
  onCleanup(() => leaving.abort(noLongerNeeded))

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
    // Unchanged pages stay the same objects, so that the current page is not rendered again when another one arrives.
    const pages = now.docs.pages.map((page) => {
      const html = textOf(page)
      return html === undefined ? page : { ...page, html }
    })
    return { ...now.docs, pages }
  })
  return { docs, error, retry: () => setTries((before) => before + 1) }
}
