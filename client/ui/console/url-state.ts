/** State that lives in the address: filters, sort, tab, open row. Back works, and a link can be sent to a colleague. */
import { useLocation, useSearchParams } from '@solidjs/router'

/** Reads and writes parameters of the address. */
export interface UrlState {
  /** The value of a parameter; empty when it is not there. */
  get(name: string): string
  /** Sets parameters; an empty value removes one. A step in the history unless `replace`. */
  set(values: Record<string, string>, options?: { replace?: boolean }): void
  /** The present address with these parameters set, for a link. */
  href(values: Record<string, string>): string
}

/** The parameters of the present address. */
export function useUrlState(): UrlState {
  const [params, setParams] = useSearchParams()
  const location = useLocation()
  return {
    get(name) {
      const value = params[name]
      return (Array.isArray(value) ? value[0] : value) ?? ''
    },
    set: (values, { replace = false } = {}) => setParams(values, { replace, scroll: false }),
    href(values) {
      const query = new URLSearchParams(location.search)
      for (const [name, value] of Object.entries(values)) {
        if (value === '') query.delete(name)
        else query.set(name, value)
      }
      return query.size === 0 ? location.pathname : `${location.pathname}?${query}`
    },
  }
}
