/** What browsers ask before a page of another site may call an address, and what lets it read the answer. No cookie goes along. */

/** Whether a browser asks for a page whether it may call this address. */
export const isPreflight = ({ method, headers }: Request): boolean =>
  method === 'OPTIONS' && headers.has('origin') && headers.has('access-control-request-method')

/** The answer to it; `methods` with commas between them. */
export const preflight = (methods: string): Response =>
  new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': methods,
      // The asterisk does not stand for this one.
      'access-control-allow-headers': 'authorization, *',
      'access-control-max-age': '7200',
    },
  })

/** The answer, readable for pages of every site. */
export function readable(response: Response): Response {
  response.headers.set('access-control-allow-origin', '*')
  response.headers.set('access-control-expose-headers', 'location, x-request-id, retry-after')
  return response
}
