/** State that lives in the address: filters, sort, tab, open row. Back works, and a link can be sent to a colleague. */
import { useSearchParams } from '@solidjs/router'

/** Reads and writes parameters of the address. */
export interface UrlState {
  /** The value of a parameter; empty when it is not there. */
  get(name: string): string
  /** Sets parameters; an empty value removes one. A step in the history unless `replace`. */
  set(values: Record<string, string>, options?: { replace?: boolean }): void
}

/** The parameters of the present address. */
export function useUrlState(): UrlState {
  const [params, setParams] = useSearchParams()
  return {
    get(name) {
      const value = params[name]
      return (Array.isArray(value) ? value[0] : value) ?? ''
    },
    set: (values, { replace = false } = {}) => setParams(values, { replace, scroll: false }),
  }
}
