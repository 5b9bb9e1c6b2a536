/** CORS: preflights of pages of other sites, and the headers that let them read the answer. Without cookies. */

/** Whether this is a CORS preflight. */
export const isPreflight = ({ method, headers }: Request): boolean =>
  method === 'OPTIONS' && headers.has('origin') && headers.has('access-control-request-method')

/** The answer to it; `methods`: comma-separated. */
export const preflight = (methods: string): Response =>
  new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': methods,
      // The asterisk does not cover this one.
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
