/** What browsers ask before a page of another site may call an address, and what lets it read the answer. No cookie goes along. */

/** The answer to a preflight. */
export const preflight = (method: string): Response =>
  new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': method,
      // The asterisk does not stand for this one.
      'access-control-allow-headers': 'authorization, *',
      'access-control-max-age': '7200',
      allow: `${method}, OPTIONS`,
    },
  })

/** The answer, readable for pages of every site. */
export function readable(response: Response): Response {
  response.headers.set('access-control-allow-origin', '*')
  response.headers.set('access-control-expose-headers', 'location, x-request-id, retry-after')
  return response
}
