/** Data loading for pages: the data, the error, and whether a load is running. Old rows stay until new ones arrive. */
import { type Accessor, createEffect, createSignal, on, onCleanup } from 'solid-js'
import { noLongerNeeded } from '#client/api/abort-reason.ts'
import { ApiError, callApi } from '#client/api/http.ts'
import { useSession } from '#client/api/session.ts'
import { announceError } from '#client/ui/announcer.tsx'
import type { MoreRows } from '#client/ui/console/table.tsx'
import type { Page } from '#shared/console/model'
import { explain } from './explain.ts'

/** The state of a load. */
export interface Load<Value> {
  /** The last loaded value; undefined before the first. */
  value: Accessor<Value | undefined>
  error: Accessor<ApiError | undefined>
  loading: Accessor<boolean>
  /** Loads again. */
  reload(): Promise<void>
  /** Replaces the value, with the answer to a write. */
  set(value: Value): void
}

/** Loads whenever `key` changes; an undefined key loads nothing. An ended session shows the sign-in page. */
export function createLoad<Key, Value>(
  key: Accessor<Key | undefined>,
  read: (key: Key, signal: AbortSignal) => Promise<Value>,
): Load<Value> {
  const session = useSession()
  const [value, setValue] = createSignal<Value | undefined>()
  const [error, setError] = createSignal<ApiError | undefined>()
  const [loading, setLoading] = createSignal(false)
  let aborter = new AbortController()

  async function run(asked: Key | undefined): Promise<void> {
    aborter.abort(noLongerNeeded)
    aborter = new AbortController()
    const { signal } = aborter
    if (asked === undefined) return
    setLoading(true)
    try {
      const found = await read(asked, signal)
      if (signal.aborted) return
      setValue(() => found)
      setError(undefined)
    } catch (thrown) {
      if (signal.aborted) return
      const failure = asApiError(thrown)
      if (failure.code === 'not_signed_in') session.ended()
      setError(failure)
    } finally {
      if (!signal.aborted) setLoading(false)
    }
  }

  createEffect(on(key, (asked) => void run(asked)))
  onCleanup(() => aborter.abort(noLongerNeeded))
  return { value, error, loading, reload: () => run(key()), set: (next) => setValue(() => next) }
}

/** A list read page by page. */
export interface Pages<Row> extends Omit<Load<Row[]>, 'set'> {
  /** Loads the next page, and its state; undefined at the end. */
  more: Accessor<MoreRows | undefined>
  /** Changes the rows that are shown, after a write. */
  change(turn: (rows: Row[]) => Row[]): void
}

/** The rows of a list of the console's API; `path` has its parameters but `after`. A new path begins at the first page. */
export function createPages<Row>(path: Accessor<string | undefined>): Pages<Row> {
  const session = useSession()
  const first = createLoad(path, (asked, signal) => callApi<Page<Row>>('GET', asked, undefined, signal))
  const [further, setFurther] = createSignal<{ of: Page<Row>; rows: Row[]; next: string | null } | undefined>()
  const [busy, setBusy] = createSignal(false)
  const [problem, setProblem] = createSignal<{ of: Page<Row>; text: string } | undefined>()
  const shown = () => {
    const page = first.value()
    const later = further()
    if (page === undefined) return undefined
    return later?.of === page ? { rows: [...page.data, ...later.rows], next: later.next } : { rows: page.data, next: page.next }
  }
  const readMore = async () => {
    const page = first.value()
    const { next } = shown() ?? {}
    const asked = path()
    if (page === undefined || !next || asked === undefined || busy()) return
    setBusy(true)
    setProblem(undefined)
    try {
      const url = `${asked}${asked.includes('?') ? '&' : '?'}after=${encodeURIComponent(next)}`
      const found = await callApi<Page<Row>>('GET', url)
      if (first.value() !== page) return
      setFurther((before) => ({ of: page, rows: [...(before?.of === page ? before.rows : []), ...found.data], next: found.next }))
    } catch (thrown) {
      const failure = asApiError(thrown)
      if (failure.code === 'not_signed_in') session.ended()
      setProblem({ of: page, text: explain(failure) })
      announceError(explain(failure))
    } finally {
      setBusy(false)
    }
  }
  const problemOf = (page: Page<Row> | undefined) => (problem()?.of === page ? problem()?.text : undefined)
  return {
    value: () => shown()?.rows,
    error: first.error,
    loading: first.loading,
    reload: first.reload,
    more: () => (shown()?.next ? { read: () => void readMore(), busy: busy(), problem: problemOf(first.value()) } : undefined),
    change(turn) {
      const now = shown()
      if (now) first.set({ data: turn(now.rows), next: now.next })
    },
  }
}

/** Every row of a list, page by page, at most `most`. Throws ApiError. */
export async function readAll<Row>(path: string, signal?: AbortSignal, most = 2_000): Promise<Row[]> {
  const rows: Row[] = []
  let after: string | null = ''
  while (after !== null && rows.length < most) {
    const begin: string = after === '' ? '' : `&after=${encodeURIComponent(after)}`
    const page: Page<Row> = await callApi('GET', `${path}${path.includes('?') ? '&' : '?'}limit=200${begin}`, undefined, signal)
    rows.push(...page.data)
    after = page.next
  }
  return rows
}

/** `thrown` as an ApiError; anything unexpected has the code `unexpected`. */
export const asApiError = (thrown: unknown): ApiError =>
  thrown instanceof ApiError ? thrown : new ApiError(String(thrown), { status: 0, code: 'unexpected' })

/** The query of the given parameters, without empty ones. */
export function queryOf(params: Record<string, string | undefined>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) if (value !== undefined && value !== '') query.set(name, value)
  return query.toString()
}
