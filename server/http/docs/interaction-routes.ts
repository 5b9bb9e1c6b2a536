/** Descriptions of the endpoints of interactions. */
import type { RouteDoc } from './route-doc.ts'

const interactions = { who: 'key', tag: 'Conversations' } as const

/** Under both versions that clients call. */
export const interactionRouteDocs: readonly RouteDoc[] = ['v1beta', 'v1'].flatMap((version): RouteDoc[] => {
  const at = `/${version}/interactions`
  return [
    {
      ...interactions,
      route: `POST ${at}`,
      summary: 'Gemini: create an interaction',
      description:
        'Where a channel of the model serves interactions (`interact` among its `operations`, as channels of the vendors `gemini` and `parley` have unless they say otherwise), it is passed there unchanged and stays accessible to its user here for 30 days, including Google’s own tools, agents and environments; an agent is offered under its name like a model. On other channels it is a stored response in Gemini’s format, which every upstream can continue and either address can read; what an upstream cannot express is then a loss, and what only Google’s service can do is refused with a message that says what it needs. With `background: true` it comes at once with `in_progress`: poll it with GET until it is done. Money is held until then, and charged once, also across restarts.',
      takes: { json: 'InteractionRequest' },
      gives: { json: ['Interaction'], events: true },
    },
    {
      ...interactions,
      route: `GET ${at}/:id`,
      summary: 'Gemini: one interaction',
      parameters: [
        { name: 'include_input', in: 'query', description: '`true`: with what it answers.' },
        { name: 'stream', in: 'query', description: '`true`: as the events that it was made of.' },
        { name: 'last_event_id', in: 'query', description: 'Only the events behind this one.' },
      ],
      gives: { json: ['Interaction'], events: true },
    },
    {
      ...interactions,
      route: `POST ${at}/:id/cancel`,
      summary: 'Gemini: cancel an interaction',
      description: 'Only a background one. What was delivered is charged.',
      gives: { json: ['Interaction'] },
    },
    { ...interactions, route: `DELETE ${at}/:id`, summary: 'Gemini: delete an interaction', gives: { json: ['EmptyAnswer'] } },
  ]
})
