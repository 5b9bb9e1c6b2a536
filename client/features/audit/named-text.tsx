import { For, Show } from 'solid-js'
import type { AuditRow } from '#shared/console/audit'
import { piecesOf } from './audit-names.ts'

/** A text of the trail, with ids replaced by named links. */
export function NamedText(props: { text: string; names: AuditRow['names'] }) {
  return (
    <For each={piecesOf(props.text, props.names)}>
      {(piece) =>
        typeof piece === 'string' ? (
          piece
        ) : (
          <Show when={piece.path} fallback={<span title={piece.id}>{piece.name}</span>}>
            {(path) => (
              <a href={path()} title={piece.id}>
                {piece.name}
              </a>
            )}
          </Show>
        )
      }
    </For>
  )
}
