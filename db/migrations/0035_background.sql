-- Answers of Responses that are being made in the background. A new table only.
CREATE TABLE "background_responses" (
	"tenant" text NOT NULL,
	"id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"beat_at" timestamp with time zone NOT NULL,
	"cancelled" boolean DEFAULT false NOT NULL,
	"sealed" text NOT NULL,
	CONSTRAINT "background_responses_tenant_id_pk" PRIMARY KEY("tenant","id")
);
--> statement-breakpoint
ALTER TABLE "background_responses" ADD CONSTRAINT "background_responses_tenant_users_id_fk" FOREIGN KEY ("tenant") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "background_responses_beat" ON "background_responses" USING btree ("beat_at");