-- Large stored responses lie in pieces, so that no statement carries more than one. Rows of before stay as they are.
CREATE TABLE "stored_pieces" (
	"tenant" text NOT NULL,
	"id" text NOT NULL,
	"place" integer NOT NULL,
	"sealed" text NOT NULL,
	CONSTRAINT "stored_pieces_tenant_id_place_pk" PRIMARY KEY("tenant","id","place")
);
--> statement-breakpoint
ALTER TABLE "stored_responses" ADD COLUMN "further_bytes" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "stored_pieces" ADD CONSTRAINT "stored_pieces_tenant_id_stored_responses_tenant_id_fk" FOREIGN KEY ("tenant","id") REFERENCES "public"."stored_responses"("tenant","id") ON DELETE cascade ON UPDATE no action;