/** State in the URL: filters, sort, tab, open row. The back button works, and links can be shared. */
import { useLocation, useSearchParams } from '@solidjs/router'

/** Reads and writes URL parameters. */
export interface UrlState {
  /** The value of a parameter; empty if absent. */
  get(name: string): string
  /** Sets parameters; an empty value removes one. A step in the history unless `replace`. */
  set(values: Record<string, string>, options?: { replace?: boolean }): void
  /** The current URL with these parameters set, for a link. */
  href(values: Record<string, string>): string
}

/** The parameters of the current URL. */
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
