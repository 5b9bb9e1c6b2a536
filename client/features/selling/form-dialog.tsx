import type { JSX } from 'solid-js'
import type { Write } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Refusal } from '#client/ui/console/states.tsx'
import { Dialog } from '#client/ui/dialog.tsx'

/** A dialog with one form: fields, error, and submit button. */
export function FormDialog(props: {
  title: string
  intro: string
  go: string
  write: Write
  onSubmit(): void
  onClose(): void
  children: JSX.Element
}) {
  return (
    <Dialog
      title={props.title}
      intro={props.intro}
      onClose={props.onClose}
      buttons={
        <>
          <Button onClick={() => props.onClose()}>{tc('cancel')}</Button>
          <Button type="submit" form="selling" look="primary" busy={props.write.busy()}>
            {props.go}
          </Button>
        </>
      }
    >
      <form
        id="selling"
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          props.onSubmit()
        }}
      >
        {props.children}
        <Refusal of={props.write} />
      </form>
    </Dialog>
  )
}
